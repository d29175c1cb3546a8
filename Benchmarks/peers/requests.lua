-- SPDX-License-Identifier: Apache-2.0
--
-- The requests of one case, for wrk: PATH BODY KEYS SEED, where {key} in the path and the body is a random number up to
-- KEYS. With a body that isn't empty, the requests are POST.

local threads = 0
local path, body, keys

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init(arguments)
    path, body, keys = arguments[1], arguments[2], tonumber(arguments[3])
    -- Each thread and each round has keys of its own, and they are the same for every server.
    math.randomseed(tonumber(arguments[4]) * 1000 + number)
    wrk.headers["Content-Type"] = body ~= "" and "application/json" or nil
end

function request()
    local key = math.random(keys)
    local target = path:gsub("{key}", key)
    if body == "" then
        return wrk.format("GET", target)
    end
    return wrk.format("POST", target, nil, (body:gsub("{key}", key)))
end
