// SPDX-License-Identifier: Apache-2.0

// The part of a drawing that is shown: it can be moved and zoomed, with the pointer, the wheel and keys.

const MARGIN = 60;
const LEAST = {width: 600, height: 400};
const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const FACTORS = {"+": 0.85, "-": 1.18};

export class View {
    #drawing;
    #bounds;
    #x = 0;
    #y = 0;
    #width = 1000;
    #height = 700;

    /**
     * @param {SVGElement} drawing
     * @param {() => {left: number, top: number, right: number, bottom: number}} bounds What the drawing has.
     */
    constructor(drawing, bounds) {
        this.#drawing = drawing;
        this.#bounds = bounds;
        drawing.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoom(event.deltaY > 0 ? 1.12 : 0.89, event.offsetX, event.offsetY);
        }, {passive: false});
        drawing.addEventListener("pointerdown", (event) => this.#drag(event));
        drawing.addEventListener("keydown", (event) => this.#press(event));
    }

    /** How many units of the drawing a pixel has. */
    get scale() {
        return this.#width / this.#drawing.clientWidth;
    }

    /** Shows all of the drawing. */
    fit() {
        const {left, top, right, bottom} = this.#bounds();
        this.#x = left - MARGIN;
        this.#y = top - MARGIN;
        this.#width = Math.max(LEAST.width, right - left + 2 * MARGIN);
        this.#height = Math.max(LEAST.height, bottom - top + 2 * MARGIN);
        this.#show();
    }

    /** Zooms about a point of the element. */
    zoom(factor, x = this.#drawing.clientWidth / 2, y = this.#drawing.clientHeight / 2) {
        const width = Math.min(20_000, Math.max(200, this.#width * factor));
        const change = width / this.#width;
        const middle = {
            x: this.#x + x / this.#drawing.clientWidth * this.#width,
            y: this.#y + y / this.#drawing.clientHeight * this.#height,
        };
        this.#x = middle.x - (middle.x - this.#x) * change;
        this.#y = middle.y - (middle.y - this.#y) * change;
        this.#width = width;
        this.#height *= change;
        this.#show();
    }

    #show() {
        this.#drawing.setAttribute("viewBox", `${this.#x} ${this.#y} ${this.#width} ${this.#height}`);
    }

    #drag(event) {
        this.#drawing.setPointerCapture(event.pointerId);
        const begin = {x: this.#x, y: this.#y};
        this.#drawing.onpointermove = (next) => {
            this.#x = begin.x - (next.clientX - event.clientX) * this.scale;
            this.#y = begin.y - (next.clientY - event.clientY) * this.scale;
            this.#show();
        };
        this.#drawing.onpointerup = () => {
            this.#drawing.onpointermove = null;
        };
    }

    #press(event) {
        const step = STEPS[event.key];
        if (step !== undefined) {
            event.preventDefault();
            this.#x += step[0] * this.#width / 12;
            this.#y += step[1] * this.#height / 12;
            this.#show();
        } else if (event.key in FACTORS) {
            this.zoom(FACTORS[event.key]);
        } else if (event.key === "0") {
            this.fit();
        }
    }
}
