// SPDX-License-Identifier: Apache-2.0

// The files with which a server begins.

import FoundationEssentials
import Glibc

struct StarterFolder {
    let path: String

    /// In the order in which they are read.
    var files: [(name: String, text: String)] {
        [
            ("README.md", readme), ("App.json", model), ("outcrop.json", settings), ("access.json", access),
            ("compose.yaml", compose), ("outcrop.service", unit),
            (".gitignore", "App.sqlite*\n.App_SUPPORT/\nbackups/\n"),
        ]
    }

    private let readme = """
        # A server of Outcrop

        1. `outcrop serve` here serves the model `App.json` from the store `App.sqlite`, as `outcrop.json` says.
        2. In another terminal, `KEY=$(outcrop keys add App.sqlite --role administrator --name me)` makes your key. Requests need one.
        3. `echo $KEY` shows it: sign in with it at <http://127.0.0.1:8080>. Or `curl -H "Authorization: Bearer $KEY" localhost:8080/api/notes`.

        Change the model in `App.json`; `outcrop serve --migrate auto` brings the store along. Who may do what is in `access.json`;
        `outcrop access check access.json --model App.json` checks it. `outcrop serve --help-all` has all settings.
        `outcrop.service` runs it under systemd, `compose.yaml` in a container, `outcrop store backup` copies the store.

        """

    private let model = """
        {
          "entities": {
            "Note": {
              "attributes": {
                "title": {"type": "String", "minLength": 1, "maxLength": 200},
                "text": {"type": "String?", "searchIndexed": true},
                "isDone": {"type": "Bool", "default": false},
                "due": "Date?"
              },
              "relationships": {
                "tags": "[Tag].notes"
              },
              "userInfo": {"path": "notes"}
            },
            "Tag": {
              "attributes": {
                "name": {"type": "String", "minLength": 1, "maxLength": 50}
              },
              "relationships": {
                "notes": "[Note].tags"
              },
              "unique": ["name"],
              "userInfo": {"path": "tags"}
            }
          }
        }

        """

    private let settings = """
        // The settings of “outcrop serve” in this folder. “outcrop serve --check” checks them.
        {
          "model": "App.json",
          "store": "App.sqlite",

          // Who may do what. Without it, everybody who can connect may do everything.
          "access": "access.json",

          // Only this machine can connect. Others need TLS: tlsCert and tlsKey, or a proxy in front.
          "listen": "127.0.0.1:8080"
        }

        """

    private let access = """
        {
          "roles": {
            "administrator": {"administers": true},
            "member": {}
          },
          "rules": {
            "Note": {"read": {"member": true}, "create": {"member": true}, "update": {"member": true}},
            "Tag": {"read": {"member": true}}
          }
        }

        """

    private let compose = """
        # docker compose up, with an image that was built in a checkout of Outcrop: make image
        #
        # A backup is made each day, in the folder backups, which the server makes itself. Copy it to another machine, too.
        # To restore the newest one:
        #
        #     docker compose stop
        #     docker compose run --rm outcrop store restore backups App.sqlite --force
        #     docker compose up --detach
        services:
          outcrop:
            image: outcrop
            command: ["serve"]
            ports:
              - "127.0.0.1:8080:8080"
            environment:
              OUTCROP_LISTEN: "0.0.0.0:8080"
              OUTCROP_HOST_NAMES: "localhost,127.0.0.1,outcrop"
              # The image's variable names other rules.
              OUTCROP_ACCESS: "access.json"
              OUTCROP_BACKUP: "backups"
            # This folder, and the user that owns it.
            volumes:
              - .:/data
            user: "\(getuid()):\(getgid())"
            working_dir: /data
            read_only: true
            tmpfs:
              - /tmp
            cap_drop:
              - ALL
            security_opt:
              - no-new-privileges:true
            restart: unless-stopped
            stop_grace_period: 30s

        """

    private var unit: String {
        """
        # sudo systemctl enable --now \(Self.escaped(folder))/outcrop.service
        [Unit]
        Description=Outcrop
        After=network.target

        [Service]
        ExecStart="\(Self.escaped(program))" serve
        ExecReload=/bin/kill -HUP $MAINPID
        WorkingDirectory=\(Self.escaped(folder))
        User=\(getuid())
        Restart=on-failure
        LimitNOFILE=16384
        NoNewPrivileges=yes
        ProtectSystem=strict
        ReadWritePaths="\(Self.escaped(folder))"
        PrivateTmp=yes
        PrivateDevices=yes
        ProtectControlGroups=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
        SystemCallArchitectures=native

        [Install]
        WantedBy=multi-user.target

        """
    }

    private var folder: String {
        let url = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        return url.path.count > 1 && url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    }

    private var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/local/bin/outcrop"
    }

    /// In units a percent sign begins a specifier.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%%").replacing("\"", with: "\\\"")
    }
}
