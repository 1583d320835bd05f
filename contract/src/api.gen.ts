// Made from the contract by `npm run generate`.

export interface paths {
    "/v1/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List MCP servers
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.list"];
        put?: never;
        /**
         * Register an MCP server by URL; it is checked at once, for at most 3 s, and what is not done by then goes on in the background
         * @description With `command` in place of `url` it is a program (stdio). It needs `programs:write` and does not start before somebody accepts it (`POST …/program/acceptance`); a package of an `npx` command is installed first (`deploying`), without running anything of it.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        post: operations["servers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an MCP server with the access that agents have to it
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.get"];
        /**
         * Replace what can be set of an MCP server; stored headers stay when none are given
         * @description What GET returned can be sent back: read-only fields are accepted when they are unchanged. `status` moves between `active` and `inactive`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        put: operations["servers.replace"];
        post?: never;
        /**
         * Delete an MCP server; with live grants only by `force=true`
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        delete: operations["servers.delete"];
        options?: never;
        head?: never;
        /**
         * Change an MCP server; a new origin erases its stored headers
         * @description What GET returned can be sent back: read-only fields are accepted when they are unchanged. `status` moves between `active` and `inactive`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        patch: operations["servers.update"];
        trace?: never;
    };
    "/v1/mcp/servers/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tools that the server offered when last asked
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/tools/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the server for its tools now
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `servers:write`.
         */
        post: operations["servers.refresh-tools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the server now; 200 also when it is unhealthy
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/health/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The checks of the server, newest first: those of 30 days, at most 5,000
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.health-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/tools/{name}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool now: as one of the agents, or as your own call
         * @description With `agent_uuid` the grants of that agent decide, as in the gateway. The call is recorded as every call is (client `playground`) and noted in the audit log.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        post: operations["servers.call-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register the servers of an mcp.json; each entry is judged on its own
         * @description The body is the file as MCP clients keep it: an object with `mcpServers`, or `servers` (VS Code). Headers and environment are sealed. Entries with a `command` need the right to stdio programs. An entry with a placeholder (`$` and a name in braces) is refused, since only the client knows its value. The answer is 200 also when every entry was refused.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        post: operations["servers.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tools of a server with what agents are shown of them, flags and tokens
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["tool-definitions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/definitions/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every definition of a tool that was seen, newest first; the last 100 are kept
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["tool-definitions.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/definitions/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What differs between two definitions of a tool
         * @description By itself from the approved definition (for a tool that seems renamed: of the old tool) to the present one.
         *
         *     Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["tool-definitions.diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/definitions/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or reject present definitions, all of them or none
         * @description `hash` is what was looked at: when the server changed the tool once more, the answer is 409 `conflict` and nothing is decided.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        post: operations["tool-definitions.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/pending-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changed and new tools of all servers that wait for a decision, newest first, at most 500
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["tool-definitions.pending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/program": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The program of a hosted server: its state, sandbox and package
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["servers.program"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set which hosts the program may reach; it is started anew
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `programs:write`.
         */
        patch: operations["servers.update-program"];
        trace?: never;
    };
    "/v1/mcp/servers/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last lines that the program wrote, oldest first, without the values of its environment
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `servers:read`.
         */
        get: operations["servers.logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/program/acceptance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the program as it is now, so that it may start
         * @description `sentence` must be the `acceptance_sentence` of the program, letter by letter. It holds for one `fingerprint`: another command, argument, variable or value, folder or package ends it. Where there is no sandbox only an owner, in person, can accept.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `programs:write`.
         */
        post: operations["servers.accept-without-sandbox"];
        /**
         * Withdraw the acceptance; the program is ended
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `programs:write`.
         */
        delete: operations["servers.withdraw-acceptance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/program/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the program; it starts with the next request, without waiting after failures
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `programs:write`.
         */
        post: operations["servers.restart-program"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/program/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download the package of an `npx` command anew; the newest version that the command allows
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `programs:write`.
         */
        post: operations["servers.install-program"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Needs a person of the workspace, or a key with the scope `agents:read`.
         */
        get: operations["agents.list-seed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Needs a person of the workspace, or a key with the scope `agents:read`.
         */
        get: operations["agents.list"];
        put?: never;
        /**
         * Create an agent; it is active at once
         * @description Groups, model access and call limits decide what an agent may do: setting them needs the role admin or the scope access:write.
         *
         *     Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        post: operations["agents.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Needs a person of the workspace, or a key with the scope `agents:read`.
         */
        get: operations["agents.get"];
        put?: never;
        post?: never;
        /**
         * Delete an agent with its keys and grants
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `agents:write`.
         */
        delete: operations["agents.delete"];
        options?: never;
        head?: never;
        /**
         * Change the name, description, groups, model access or call limits of an agent
         * @description Read-only fields are accepted when they are unchanged. Groups, model access and call limits decide what an agent may do: setting them needs the role admin or the scope access:write.
         *
         *     Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        patch: operations["agents.update"];
        trace?: never;
    };
    "/v1/agents/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an agent: its calls answer 403 at once, running streams included
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        post: operations["agents.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused agent
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        post: operations["agents.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop an agent
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        post: operations["agents.stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a stopped agent
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `agents:write`.
         */
        post: operations["agents.start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready configuration for MCP clients; the key in it is a placeholder
         * @description Needs a person of the workspace, or a key with the scope `agents:read`.
         */
        get: operations["agents.install"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that act as this agent
         * @description Needs a person of the workspace, or a key with the scope `keys:read`.
         */
        get: operations["agents.list-keys"];
        put?: never;
        /**
         * Create a key that acts as this agent; the secret is shown once
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        post: operations["agents.create-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which agents may use this server
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access.list"];
        put?: never;
        /**
         * Grant an agent all or selected tools of this server
         * @description An agent has at most one grant made by hand on a server, beside any number derived from toolsets. All enabled grants count together; a disabled one made by hand denies everything.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["access.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/access/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the grant of an agent on this server that was made by hand
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access.get"];
        put?: never;
        post?: never;
        /**
         * Take the access away
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        delete: operations["access.delete"];
        options?: never;
        head?: never;
        /**
         * Change a grant; effective within 1 s, running streams included
         * @description Changes the grant made by hand; one derived from a toolset answers 409 `derived_grant`. Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        patch: operations["access.update"];
        trace?: never;
    };
    "/v1/agents/{id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All grants of an agent, with the verdict and its reason for every tool
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access.of-agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/toolsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List toolsets
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["toolsets.list"];
        put?: never;
        /**
         * Create a toolset; every agent in its groups gets a grant on each of its servers
         * @description Tools that appear on a server later are not in it.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["toolsets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/toolsets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a toolset
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["toolsets.get"];
        put?: never;
        post?: never;
        /**
         * Delete a toolset with the grants derived from it
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        delete: operations["toolsets.delete"];
        options?: never;
        head?: never;
        /**
         * Change a toolset, and with it the grants of every agent in its groups
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        patch: operations["toolsets.update"];
        trace?: never;
    };
    "/v1/toolsets/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a change of a toolset would give to agents and take from them; nothing is changed
         * @description Compares effective access: a tool that another grant allows too is neither gained nor lost. Agents and servers count as active.
         *
         *     Needs a person of the workspace, or a key with the scope `access:read`.
         */
        post: operations["toolsets.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Which recorded calls a change of grants would newly deny or allow; nothing is changed
         * @description Judges each tool call of the last days twice as of now: under the present grants, and with the changes made one after the other. What was answered when the call was made does not count. `unknown`: the verdict depends on arguments that were not recorded.
         *
         *     Needs a person of the workspace, or a key with the scope `access:read`.
         */
        post: operations["access-review.simulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Access that recorded calls did not need, with the change that would take it away
         * @description Computed from the tool calls of the last days that were not refused. Grants and toolsets that are younger than that, or were changed since, are not accused; switched-off and expired grants are left alone.
         *
         *     Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access-review.suggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/suggestions/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the change of a suggestion, in one transaction
         * @description 409 `suggestion_outdated` when a grant or its use has changed since. The grants before are kept for `revert`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["access-review.apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/suggestions/{id}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put back exactly what an applied suggestion changed
         * @description 409 `grant_changed`, naming what differs, when somebody has changed a grant since.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["access-review.revert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls that need, or needed, the approval of a person
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `approvals:decide`.
         */
        get: operations["approvals.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an approval with the arguments of its call
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `approvals:decide`.
         */
        get: operations["approvals.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the call run once, or all calls of this tool by this agent for a time
         * @description A call that waits goes on within a second. One that has stopped waiting runs when the agent sends it again within 15 minutes. The key that sent the call cannot approve it.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `approvals:decide`.
         */
        post: operations["approvals.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse the call; sent again within 15 minutes it gets the same answer
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `approvals:decide`.
         */
        post: operations["approvals.deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back an approval that has not been used, or that stands for a time
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `approvals:decide`.
         */
        post: operations["approvals.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what people asked for on behalf of agents
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access-requests.list"];
        put?: never;
        /**
         * Ask the admins of the workspace to let an agent use a tool, or a server
         * @description One request for an agent, a server and a tool waits at a time: the same one answers 409 `conflict`.
         *
         *     Needs a person with the role `viewer` or `member` or `admin` or `owner`.
         */
        post: operations["access-requests.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access request
         * @description Needs a person of the workspace, or a key with the scope `access:read`.
         */
        get: operations["access-requests.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-requests/{id}/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give what was asked for: a new grant, or one more tool in the grant made by hand
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["access-requests.grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-requests/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline an access request
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `access:write`.
         */
        post: operations["access-requests.decline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List platform and agent keys
         * @description Needs a person of the workspace, or a key with the scope `keys:read`.
         */
        get: operations["keys.list"];
        put?: never;
        /**
         * Create a platform key, or with `agent_uuid` a key that acts as that agent
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        post: operations["keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a key, without its secret
         * @description Needs a person of the workspace, or a key with the scope `keys:read`.
         */
        get: operations["keys.get"];
        put?: never;
        post?: never;
        /**
         * Revoke a key with all its secrets; running streams are cut
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        delete: operations["keys.revoke"];
        options?: never;
        head?: never;
        /**
         * Change the name, scopes, expiry or allowed addresses of a key
         * @description A key changes only keys that are as limited as itself or more, before and after, in scopes, expiry and addresses; of its own it changes none of these. Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        patch: operations["keys.update"];
        trace?: never;
    };
    "/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a key a new secret, shown once
         * @description The id, name and scopes stay. The new secret works at once; its first use starts the countdown of the present one, which until then works on. A second rotation before that replaces the new secret.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        post: operations["keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a new secret back
         * @description Only while the new secret has not been used; the present one works on.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        delete: operations["keys.cancel-rotation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ingest tokens
         * @description Needs a person of the workspace, or a key with the scope `keys:read`.
         */
        get: operations["ingest-tokens.list"];
        put?: never;
        /**
         * Create a write-only token for telemetry
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        post: operations["ingest-tokens.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an ingest token, without its secret
         * @description Needs a person of the workspace, or a key with the scope `keys:read`.
         */
        get: operations["ingest-tokens.get"];
        put?: never;
        post?: never;
        /**
         * Revoke an ingest token with all its secrets
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        delete: operations["ingest-tokens.revoke"];
        options?: never;
        head?: never;
        /**
         * Change the name, expiry or allowed addresses of an ingest token
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        patch: operations["ingest-tokens.update"];
        trace?: never;
    };
    "/v1/ingest-tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an ingest token a new secret, shown once
         * @description The id, name and scopes stay. The new secret works at once; its first use starts the countdown of the present one, which until then works on. A second rotation before that replaces the new secret.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        post: operations["ingest-tokens.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest-tokens/{id}/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a new secret back
         * @description Only while the new secret has not been used; the present one works on.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `keys:write`.
         */
        delete: operations["ingest-tokens.cancel-rotation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/authorizations/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a client asks for, for the page that asks the person
         * @description Takes the cookie that `/oauth/authorize` gave this browser; without it the answer is 403.
         *
         *     Needs a person with the role `member` or `admin` or `owner`.
         */
        post: operations["authorizations.consent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/authorizations/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or deny what a client asks for
         * @description Without `agent_uuid` the client acts as the person's own agent, which is made at the first time. Another agent needs the role admin. The answer says where to lead the browser.
         *
         *     Needs a person with the role `member` or `admin` or `owner`.
         */
        post: operations["authorizations.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Clients that people connected by OAuth: the own ones, or for admins those of the workspace
         * @description Needs a person with the role `member` or `admin` or `owner`.
         */
        get: operations["authorizations.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/authorizations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a client; its tokens end at once, running streams included
         * @description Needs a person with the role `member` or `admin` or `owner`.
         */
        delete: operations["authorizations.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/oauth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the platform gets credentials for a server by OAuth
         * @description Needs a person of the workspace, or a key with the scope `servers:read`.
         */
        get: operations["upstream-credentials.get"];
        /**
         * Set how the platform gets credentials for a server by OAuth; tokens that it had are forgotten
         * @description Read-only fields are accepted when they are unchanged. A `client_secret` is sealed and never returned; without one the stored secret stays while `client_id` and `issuer` do. `client_credentials` needs `client_id` and `client_secret`, and the owner `workspace`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `servers:write`.
         */
        put: operations["upstream-credentials.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to connect a server: where to lead the browser of the person who agreed
         * @description The answer binds the way to this browser by a cookie, for ten minutes. By the owner of the tokens: a person connects for themselves; connecting for an agent or the workspace needs the role admin.
         *
         *     Needs a person with the role `member` or `admin` or `owner`.
         */
        post: operations["upstream-credentials.authorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/oauth/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whose tokens the platform has for a server; others than admins see their own
         * @description Needs a person with the role `member` or `admin` or `owner`.
         */
        get: operations["upstream-credentials.connections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/servers/{id}/oauth/connections/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget tokens, and revoke them at the authorization server where it can be
         * @description Needs a person with the role `member` or `admin` or `owner`.
         */
        delete: operations["upstream-credentials.disconnect"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/provider-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connections to model providers
         * @description Needs a person of the workspace, or a key with the scope `provider-keys:read`.
         */
        get: operations["provider-keys.list"];
        put?: never;
        /**
         * Store a provider key or credential, sealed and bound to its provider and origin
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        post: operations["provider-keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/provider-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a connection, without its key
         * @description Needs a person of the workspace, or a key with the scope `provider-keys:read`.
         */
        get: operations["provider-keys.get"];
        put?: never;
        post?: never;
        /**
         * Delete a connection
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        delete: operations["provider-keys.delete"];
        options?: never;
        head?: never;
        /**
         * Change a connection; a new origin erases the stored key unless a new one comes with it
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        patch: operations["provider-keys.update"];
        trace?: never;
    };
    "/v1/provider-keys/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the provider something free with the stored key, its list of models where it has one; 200 also when it refuses
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        post: operations["provider-keys.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the routes of model calls
         * @description Needs a person of the workspace, or a key with the scope `provider-keys:read`.
         */
        get: operations["routes.list"];
        put?: never;
        /**
         * Make a route: one name for several connections and models, with fallback and balancing
         * @description A caller that addresses the route gets the first answer that begins well; until then failures stay invisible. Stored keys are used, and an agent reaches only those targets that it may call by themselves.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        post: operations["routes.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/routes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a route
         * @description Needs a person of the workspace, or a key with the scope `provider-keys:read`.
         */
        get: operations["routes.get"];
        put?: never;
        post?: never;
        /**
         * Delete a route
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        delete: operations["routes.delete"];
        options?: never;
        head?: never;
        /**
         * Change a route; calls that run keep what they began with
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        patch: operations["routes.update"];
        trace?: never;
    };
    "/v1/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hooks on model calls, by default in the order in which they are run
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `provider-keys:read`.
         */
        get: operations["hooks.list"];
        put?: never;
        /**
         * Have prompts or answers of model calls judged on their way; a dry run unless told otherwise
         * @description `deny` and `redact` need a `pattern`, `webhook` a `url`; its signing secret is shown once. Hooks run in the order in which they were made. A workspace has at most 20.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        post: operations["hooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a hook, without its secret
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `provider-keys:read`.
         */
        get: operations["hooks.get"];
        put?: never;
        post?: never;
        /**
         * Delete a hook
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        delete: operations["hooks.delete"];
        options?: never;
        head?: never;
        /**
         * Change a hook; another origin gets a new secret, shown once in the answer
         * @description It holds for calls that begin from then on, within a second. Read-only fields are accepted when they are unchanged; so are `pattern` and `url` of an action that has none.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        patch: operations["hooks.update"];
        trace?: never;
    };
    "/v1/hooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the webhook of a hook a new signing secret, shown once; the old one signs too for 24 hours
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `provider-keys:write`.
         */
        post: operations["hooks.rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List budgets with what is spent of them
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["budgets.list"];
        put?: never;
        /**
         * Limit what model calls may cost, or how many tokens they may use, in a window of time
         * @description Counting begins with the budget: calls before it are not in it.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        post: operations["budgets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/budgets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a budget with what is spent of it
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["budgets.get"];
        put?: never;
        post?: never;
        /**
         * Delete a budget with its counters
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        delete: operations["budgets.delete"];
        options?: never;
        head?: never;
        /**
         * Change a budget; what is spent stays spent
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        patch: operations["budgets.update"];
        trace?: never;
    };
    "/v1/budgets/{id}/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What each agent, key, session or user has spent of a budget in the present window, most first
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["budgets.spending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the limits of model calls
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["model-limits.list"];
        put?: never;
        /**
         * Limit model calls: requests and tokens in a minute, and calls at a time
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        post: operations["model-limits.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model-limits/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a limit of model calls
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["model-limits.get"];
        put?: never;
        post?: never;
        /**
         * Delete a limit of model calls
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        delete: operations["model-limits.delete"];
        options?: never;
        head?: never;
        /**
         * Change a limit of model calls
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        patch: operations["model-limits.update"];
        trace?: never;
    };
    "/v1/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The prices that the workspace set itself, and the table that holds for the rest
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["prices.list"];
        put?: never;
        /**
         * Set the price of models, from now or from a later time on
         * @description It holds before the table. Of several that fit a call the most exact one counts: of its connection, then of its provider, then with the longest pattern, then the newest. Calls keep the price that they were recorded with.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        post: operations["prices.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/prices/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a price end now, or at a later time; it stays in the list
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        post: operations["prices.end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/prices/effective": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a model costs now, by dimension, and where each price is from
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["prices.effective"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/prices/unpriced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models whose calls have no price in a time range (default: the last 24 hours), most calls first
         * @description Needs a person of the workspace, or a key with the scope `budgets:read`.
         */
        get: operations["prices.unpriced"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/reprice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Price recorded calls anew; by default a dry run that tells the difference
         * @description Writes a new version of the rows of calls whose price is another one; the old one stays readable, and every sum counts the newest. What budgets have counted stays as it was. A range has at most 100,000 calls.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `budgets:write`.
         */
        post: operations["ledger.reprice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All versions of the rows of a call that was priced anew, the oldest first
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["ledger.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What calls through the model proxy were billed, a row for each quantity, newest first
         * @description The sums are over the whole range and its filters, not the page. `cost_nano_usd` is of calls that have a price for every part, as in Spotlight.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["ledger.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, errors, latency, tokens and cost of a time range (default: the last 24 hours)
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, errors and cost over time, in equal buckets
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.timeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, tokens and cost by any fields and attributes
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tools that were called
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resources of MCP servers that were read
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prompts of MCP servers that were asked for
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Servers whose tools were called
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Agents that called; without an id: seen in telemetry only
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.agents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models that were called
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * People, as clients name them
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Client programs
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.clients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions: the runs of clients
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Scores given in a time range, by their names
         * @description A filter picks the scores of traces and sessions that had such a call. A number counts as it is, yes and no as 1 and 0.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.scores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What went wrong, by its kind and where
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One session: its model calls, tool calls and messages on one timeline, oldest first
         * @description The figures are those of the whole session, the calls are paged. Each call is there once, however many recorded it.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/tool-selection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tools that agents were offered, and which of them they called; never called first
         * @description `listed` is as of now: whether the gateway lists the tool for the agent. `offered` and `chosen` are of model calls whose content was recorded.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_tool_selection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/definition-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of tool definitions, with errors and latency before and after; newest first
         * @description `before` and `after` hold the calls inside the range, up to the change before and the change after.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_definition_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/invalid-arguments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Arguments that servers refused, by tool and field; the most frequent first
         * @description From the answers of servers to calls through the gateway: only names of arguments are recorded, never values.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_invalid_arguments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/retry-loops": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same call again and again: same agent, tool and arguments; the longest first
         * @description Calls through the gateway that are at most ten minutes apart. Arguments are compared by `signalbox.arguments_hash`.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_retry_loops"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/overlaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tools of different servers with nearly the same name or description; the most alike first
         * @description Of the definitions as they are now. With `agent`: of the servers that it may use.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_overlaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/unregistered-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * MCP servers that telemetry names and that are not registered; the most calls first
         * @description By the address that clients called, or the service that recorded the call. `registered_as`: a registered server that was called without the gateway.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_unregistered_servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest release of each server in a time range (default: the last 24 hours), beside the one before
         * @description Of the tool calls that the gateway sent on. A server that names no version is not in the list.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.releases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/cache-misses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Model calls that paid again for a prompt that was in the cache: why, and what it cost, dearest first
         * @description Calls through the model proxy that belong to a session. The 500 calls of the range that may have missed most are looked at.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.cache_misses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/cache-misses/{trace_id}/{span_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether one model call missed the cache, why, what it cost, and where its prompt first differs
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.cache_miss"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/calls/{trace_id}/{span_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One call as its client, the gateway and its server saw it
         * @description Any of its spans may be named, in whichever trace. A view that nobody recorded is absent.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.call_views"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/tool-costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What tools cost in prompts: their definitions and the results that requests carry, dearest first
         * @description The input of each model call is divided among its pieces by their size; a piece costs what its place in the prompt was billed. Definitions, results and the rest add up to the input.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.tool_costs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sharing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether sessions of the workspace may be shared by links
         * @description Needs a person of the workspace.
         */
        get: operations["sharing.get"];
        /**
         * Choose whether sessions may be shared by links
         * @description Off at first. Off, no link opens; links that have not expired open again when it is turned on.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        put: operations["sharing.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/sessions/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that shows one session to whoever has it, redacted, until it expires
         * @description The link is shown only in this answer.
         *
         *     Needs a person with the role `member` or `admin` or `owner`.
         */
        post: operations["sharing.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links that have not expired
         * @description Needs a person of the workspace.
         */
        get: operations["sharing.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/shares/{shareId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link: it opens nothing any more
         * @description Needs a person with the role `member` or `admin` or `owner`.
         */
        delete: operations["sharing.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a link shows of its session
         * @description The token is what stands behind the `#` of the link.
         *
         *     Needs no credential.
         */
        post: operations["sharing.open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved questions
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["questions.list"];
        put?: never;
        /**
         * Save a question to Spotlight under a name
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        post: operations["questions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/questions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a saved question
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["questions.get"];
        put?: never;
        post?: never;
        /**
         * Delete a saved question that no alert watches
         * @description Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        delete: operations["questions.delete"];
        options?: never;
        head?: never;
        /**
         * Change a saved question, and with it what its alerts watch
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `member` or `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        patch: operations["questions.update"];
        trace?: never;
    };
    "/v1/questions/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a saved question now
         * @description The answer is that of `GET /v1/spotlight/{read}`.
         *
         *     Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["questions.answer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts with their states
         * @description Needs a person of the workspace, or a key with the scope `alerts:read`.
         */
        get: operations["alerts.list"];
        put?: never;
        /**
         * Watch the figure of a saved question
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        post: operations["alerts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an alert with its state
         * @description Needs a person of the workspace, or a key with the scope `alerts:read`.
         */
        get: operations["alerts.get"];
        put?: never;
        post?: never;
        /**
         * Delete an alert on a question; the five of every workspace can be turned off
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        delete: operations["alerts.delete"];
        options?: never;
        head?: never;
        /**
         * Change, mute, turn off or turn on an alert
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        patch: operations["alerts.update"];
        trace?: never;
    };
    "/v1/alerts/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The changes of an alert’s state in the last 90 days, newest first
         * @description Needs a person of the workspace, or a key with the scope `alerts:read`.
         */
        get: operations["alerts.history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Judge an alert now and send a test message; its state stays
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `alerts:write`.
         */
        post: operations["alerts.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded log records, newest first
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metrics of a time range with their kinds and units, by name
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/spans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded spans, newest first
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.spans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/traces/{trace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All spans of a trace
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/recorder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether everything that was acknowledged is stored, or still in the log
         * @description Needs a person who is operator of the instance.
         */
        get: operations["instance.recorder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Traces that have a span as asked for, by their first span in the range, newest first
         * @description A trace that gets an earlier span while it is paged through may come once more; none is left out.
         *
         *     Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.traces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who sent telemetry in a time range, by service
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/traces/{trace_id}/spans/{span_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a call carried: messages and answer of a model call, arguments and result of a tool call
         * @description As the proxy or the gateway recorded it, else as the span says it in the words of any dialect.
         *
         *     Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/tool-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the models of a session asked for, what ran for it, and where the results went
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.tool_links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/metrics/points": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A metric over time, in series by attributes
         * @description Cumulative sums and histograms are read as what they grew by; a counter that began again counts from zero. Quantiles of histograms are interpolated inside their buckets.
         *
         *     Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.points"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Scores and evaluation results, newest first
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["scores.list"];
        put?: never;
        /**
         * Judge a trace, a call or a session
         * @description Takes an ingest token, or a person who is a member. It is kept as an event `gen_ai.evaluation.result`, as log records of that name sent by OTLP are, and shows within seconds.
         *
         *     Needs a person with the role `member` or `admin` or `owner`.
         */
        post: operations["scores.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What auth_check of Langfuse’s SDKs asks
         * @description The workspace of the ingest token, as a project.
         *
         *     Needs .
         */
        get: operations["langfuse.projects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/ingestion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scores of Langfuse’s SDKs up to 4, and of 5 for JavaScript
         * @description Takes events `score-create`. Any other event is refused by itself, in `errors`: spans come by `/api/public/otel/v1/traces`.
         *
         *     Needs .
         */
        post: operations["langfuse.ingestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scores of Langfuse’s SDK 5 for Python, one or a list
         * @description Needs .
         */
        post: operations["langfuse.scores"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redaction-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspace's own rules of redaction
         * @description Needs a person with the role `auditor` or `admin` or `owner`.
         */
        get: operations["redaction-rules.list"];
        put?: never;
        /**
         * Have something more taken out of telemetry before it is kept
         * @description It holds for what arrives from then on, within a second. A workspace has at most 20 rules.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        post: operations["redaction-rules.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redaction-rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What would be left of a text; nothing is kept
         * @description With `pattern` and `label` that rule is tried alone, else what content goes through: the built-in detectors and the rules of the workspace.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        post: operations["redaction-rules.try"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/redaction-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a rule of redaction
         * @description Needs a person with the role `auditor` or `admin` or `owner`.
         */
        get: operations["redaction-rules.get"];
        put?: never;
        post?: never;
        /**
         * Delete a rule of redaction; the built-in detectors stay
         * @description Needs a person with the role `admin` or `owner`.
         */
        delete: operations["redaction-rules.delete"];
        options?: never;
        head?: never;
        /**
         * Change a rule of redaction; what is kept already stays as it is
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        patch: operations["redaction-rules.update"];
        trace?: never;
    };
    "/v1/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long the telemetry of the workspace is kept
         * @description Needs a person of the workspace.
         */
        get: operations["retention.get"];
        /**
         * Set how long telemetry of the workspace is kept that arrives from now on
         * @description What is stored already keeps the time that it was stored with. What arrives and is older than the time set is rejected.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        put: operations["retention.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures of telemetry
         * @description Needs a person with the role `auditor` or `admin` or `owner`.
         */
        get: operations["telemetry-erasures.list"];
        put?: never;
        /**
         * Erase the telemetry of one session or one person
         * @description Takes away every trace that names the session or the person, with all its spans, log records and scores, and what other log records and data points name them, as far as it happened before now. It cannot be undone. It is done again on what a restored backup brings back.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        post: operations["telemetry-erasures.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/renormalisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List how stored spans were mapped anew
         * @description Needs a person with the role `auditor` or `admin` or `owner`.
         */
        get: operations["telemetry-renormalisations.list"];
        put?: never;
        /**
         * Map stored spans anew that an older version of the program mapped
         * @description Spans of senders whose `mapper_version` is older than that of this program get their columns from their attributes again, as if they came now. In the background, a day at a time.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        post: operations["telemetry-renormalisations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/call-recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is recorded of calls, and whether they are served when they cannot be recorded
         * @description Needs a person of the workspace.
         */
        get: operations["call-recording.get"];
        /**
         * Choose what is recorded of calls, and whether they are served when they cannot be recorded
         * @description `required` and with the content of tool calls at first; `tool_content` stays as it is where it is absent. A call that was served without a record is in no list, no figure and no price; `signalbox_unrecorded_calls` of `/metrics` counts it.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        put: operations["call-recording.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `webhooks:read`.
         */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Register an address that is told of events; the signing secret is shown once
         * @description Deliveries are signed by Standard Webhooks 1.0. Whoever creates or changes a webhook must be able to read all types of events that it gets (docs/events.md).
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook, without its secret
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `webhooks:read`.
         */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its deliveries
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        /**
         * Change a webhook; another origin gets a new secret, shown once in the answer
         * @description Turning it off ends what waits. Read-only fields are accepted when they are unchanged. Whoever creates or changes a webhook must be able to read all types of events that it gets (docs/events.md).
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        patch: operations["webhooks.update"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new signing secret, shown once; the old one signs too for 24 hours
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        post: operations["webhooks.rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a `webhook.test` event for this webhook
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was sent to a webhook and how it ended, newest first; kept for seven days
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `webhooks:read`.
         */
        get: operations["webhooks.deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its body and what the receiver answered last
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `webhooks:read`.
         */
        get: operations["webhooks.delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, with the same `webhook-id`, as a new entry of the log
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `webhooks:write`.
         */
        post: operations["webhooks.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forwarders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List forwarders with how far they are
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `forwarders:read`.
         */
        get: operations["forwarders.list"];
        put?: never;
        /**
         * Send telemetry or audit records to another system from now on, as they are stored
         * @description By OTLP/HTTP (protobuf, gzip), audit records also by syslog (RFC 5424). Each is sent at least once. A key that sends audit records out needs the scope `audit:read`, for spans, metrics and logs `telemetry:read`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `forwarders:write`.
         */
        post: operations["forwarders.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forwarders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a forwarder with how far it is
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `forwarders:read`.
         */
        get: operations["forwarders.get"];
        put?: never;
        post?: never;
        /**
         * Delete a forwarder
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `forwarders:write`.
         */
        delete: operations["forwarders.delete"];
        options?: never;
        head?: never;
        /**
         * Change a forwarder; another origin erases its stored headers
         * @description A signal that is added is sent from now on; one that is taken out is forgotten. A forwarder that was off goes on where it stopped. `headers` replaces all of them. A key that sends audit records out needs the scope `audit:read`, for spans, metrics and logs `telemetry:read`.
         *
         *     Needs a person with the role `admin` or `owner`, or a key with the scope `forwarders:write`.
         */
        patch: operations["forwarders.update"];
        trace?: never;
    };
    "/v1/forwarders/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the receiver an empty OTLP request for each signal, or one syslog message, and tell how it answers
         * @description Needs a person with the role `admin` or `owner`, or a key with the scope `forwarders:write`.
         */
        post: operations["forwarders.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rate limits of the workspace
         * @description A quota may be used at once and comes back evenly over its window. Answers of the platform API show it in `RateLimit-Policy` and `RateLimit`. Each node counts for itself.
         *
         *     Needs a person of the workspace.
         */
        get: operations["limits.list"];
        /**
         * Set the rate limits of the workspace, within those of the instance
         * @description A class that is absent, or equal to that of the instance, follows the instance from then on. `anonymous` is for the operator alone.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        put: operations["limits.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what, and which management calls were denied; newest first
         * @description `GET /v1/audit/export?format=jsonl` (or `csv`) with the same filters gives all of them as a file, oldest first.
         *
         *     Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `audit:read`.
         */
        get: operations["audit.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recompute the chain of the audit log and name the first record that was changed or removed
         * @description `signalbox audit verify` does the same for all workspaces, and finds whole chains that are gone.
         *
         *     Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `audit:read`.
         */
        get: operations["audit.verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/denials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How often callers without a valid credential were refused, by address and minute; newest first
         * @description Counts answers 401, 403 and 429 of routes and of sign-in, kept for 30 days. Denials of callers who are known stand in the audit log of their workspace.
         *
         *     Needs a person who is operator of the instance.
         */
        get: operations["denials.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How people can sign in, and whether the instance still needs its first operator
         * @description Needs no credential.
         */
        get: operations["auth.methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use the one-time setup link: makes the operator and the workspace `default`
         * @description Needs no credential.
         */
        post: operations["auth.setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register with e-mail and password; makes a workspace of one
         * @description Needs no credential.
         */
        post: operations["auth.register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with e-mail and password
         * @description With the header `x-signalbox-dashboard: 1` both tokens are set as HttpOnly cookies and are absent from the body; requests that such a cookie authenticates and that change something must come from our own pages.
         *
         *     Needs no credential.
         */
        post: operations["auth.login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new pair; reuse of an old one revokes the whole session
         * @description The dashboard sends no body: its refresh token is in a cookie.
         *
         *     Needs no credential.
         */
        post: operations["auth.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token for another workspace of the same person
         * @description Needs a person of the workspace.
         */
        post: operations["auth.switch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the current session
         * @description Needs a person of the workspace.
         */
        post: operations["auth.logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed-in person and the current workspace
         * @description Needs a person of the workspace.
         */
        get: operations["auth.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The live sessions of the signed-in person
         * @description Needs a person of the workspace.
         */
        get: operations["auth.sessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Needs a person of the workspace.
         */
        delete: operations["auth.sessions.end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke one of your own sessions
         * @description Needs a person of the workspace.
         */
        delete: operations["auth.sessions.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys that access tokens are signed with
         * @description Needs no credential.
         */
        get: operations["auth.jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an e-mail address by the link that was sent to it
         * @description The link works once, for 24 hours. A person who has not confirmed can work; only what rests on the address being theirs waits: nothing is given to them because an address matches.
         *
         *     Needs no credential.
         */
        post: operations["auth.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the link that confirms your address once more
         * @description Answers the same when the address is confirmed already; then nothing is sent.
         *
         *     Needs a person of the workspace.
         */
        post: operations["auth.verify.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a link that resets the password
         * @description Answers 202 whether or not somebody has this address, and at once: what happens next happens after the answer. A person is sent at most one link a minute, then fewer; earlier ones work until they expire.
         *
         *     Needs no credential.
         */
        post: operations["auth.password.forgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by the link that was sent
         * @description The link works once, for 30 minutes. Every session of the person ends, other reset links too, and the address counts as confirmed. It also gives a password to an account that has none.
         *
         *     Needs no credential.
         */
        post: operations["auth.password.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your own password
         * @description Your other sessions end. Wrong guesses count like wrong sign-ins.
         *
         *     Needs a person of the workspace.
         */
        post: operations["auth.password.change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oauth/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to sign in at a provider
         * @description For browsers: redirects to the provider and sets a cookie that binds the sign-in to this browser for 10 minutes. A failure redirects to `/ui/sign-in?error=<code>`.
         *
         *     Needs no credential.
         */
        get: operations["auth.oauth.start"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oauth/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the provider sends the browser back
         * @description Redirects into the dashboard with its session cookies, or to `/ui/sign-in?error=<code>`. Providers add query parameters of their own, so unknown ones are accepted here.
         *
         *     Needs no credential.
         */
        get: operations["auth.oauth.callback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oauth/{provider}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to link an account of a provider to the signed-in person
         * @description Answers with the address to open in the same browser, which gets a cookie that binds the two. The provider leads it back.
         *
         *     Needs a person of the workspace.
         */
        post: operations["auth.oauth.link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The accounts at providers by which the signed-in person can sign in
         * @description Needs a person of the workspace.
         */
        get: operations["auth.identities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an account at a provider; memberships that its groups gave end
         * @description Needs a person of the workspace.
         */
        delete: operations["auth.identities.unlink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mail-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Links for people that no mail server has taken, for an operator to pass on
         * @description Without a mail server every link is here; with one, those of messages that could not be delivered. A link is gone from the list when it was delivered or used, or has expired. Whoever passes one on vouches that the mailbox is the person’s.
         *
         *     Needs a person who is operator of the instance.
         */
        get: operations["mail-links.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspaces that you are a member of
         * @description Needs a person of the workspace.
         */
        get: operations["workspaces.list"];
        put?: never;
        /**
         * Create a workspace; you are its owner
         * @description Where sign-up is not open (see `GET /v1/settings`), only operators create workspaces. `POST /auth/switch` gives a token for the new one.
         *
         *     Needs a person of the workspace.
         */
        post: operations["workspaces.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the workspace of this credential
         * @description Any other id answers 404, also that of another workspace of yours: switch to it first.
         *
         *     Needs a person of the workspace.
         */
        get: operations["workspaces.get"];
        put?: never;
        post?: never;
        /**
         * Delete a workspace with everything in it
         * @description Its keys, members, servers, agents and grants end at once, running streams included. Its telemetry cannot be reached any more and expires with the retention; its audit chain is kept. The last workspace of an instance cannot be deleted.
         *
         *     Needs a person with the role `owner`.
         */
        delete: operations["workspaces.delete"];
        options?: never;
        head?: never;
        /**
         * Rename a workspace
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        patch: operations["workspaces.update"];
        trace?: never;
    };
    "/v1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far the demo workspace is
         * @description Operators see it from everywhere, others from within it; for everybody else there is none.
         *
         *     Needs a person of the workspace.
         */
        get: operations["demo.get"];
        put?: never;
        /**
         * Make a workspace with a day of traffic in it, which can be removed again; you are its owner
         * @description It goes on in the background and takes seconds: `GET /v1/demo` tells when it is ready. An instance has one at most.
         *
         *     Needs a person who is operator of the instance.
         */
        post: operations["demo.create"];
        /**
         * Remove the demo workspace with everything in it, its telemetry too
         * @description Needs a person who is operator of the instance.
         */
        delete: operations["demo.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the workspace
         * @description Needs a person of the workspace.
         */
        get: operations["members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or leave the workspace yourself
         * @description Everybody may leave, except the last owner. To remove others needs the role admin, to remove owners the role owner. Keys that the person made belong to the workspace and stay.
         *
         *     Needs a person of the workspace.
         */
        delete: operations["members.remove"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Admins give and take the roles up to admin; only owners make or unmake owners. The last owner stays one. Effective at once: running streams of the person are cut. Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        patch: operations["members.update"];
        trace?: never;
    };
    "/v1/workspaces/{id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations that are still open
         * @description Needs a person with the role `auditor` or `admin` or `owner`.
         */
        get: operations["invitations.list"];
        put?: never;
        /**
         * Invite a person by e-mail
         * @description The link works once and for `expires_in_days`. Nobody invites to a role that they could not give.
         *
         *     Needs a person with the role `admin` or `owner`.
         */
        post: operations["invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation: its link opens nothing any more
         * @description Needs a person with the role `admin` or `owner`.
         */
        delete: operations["invitations.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}/invitations/{invitationId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a new link for as long again; the old one ends
         * @description Needs a person with the role `admin` or `owner`.
         */
        post: operations["invitations.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What an invitation is for, before it is accepted
         * @description Needs no credential.
         */
        post: operations["invitations.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation: a new person gets an account and a session, others join as themselves
         * @description Whoever has an account must be signed in with it (the access token in `Authorization`, or the dashboard’s cookie) and sends the token alone; the answer then has no refresh token, as the session goes on in this workspace. New people send a password, and so does whoever belongs to no workspace and hence cannot sign in. Who has no password signs in by their provider: without a workspace, that sign-in accepts the open invitations to their verified address.
         *
         *     Needs no credential.
         */
        post: operations["invitations.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The settings of the instance, with where each value comes from
         * @description Needs a person who is operator of the instance.
         */
        get: operations["settings.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings of the instance; effective at once
         * @description A value of null returns to the default. What the environment sets answers 409 with the name of the variable. What GET returned can be sent back.
         *
         *     Needs a person who is operator of the instance.
         */
        patch: operations["settings.update"];
        trace?: never;
    };
    "/v1/instance/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every workspace of the instance, with its rights
         * @description Needs a person who is operator of the instance.
         */
        get: operations["instance.workspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{id}/rights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Give a workspace a right of the instance, or take it; any workspace
         * @description Needs a person who is operator of the instance.
         */
        patch: operations["instance.rights"];
        trace?: never;
    };
    "/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The operators of the instance
         * @description The role is given by the setup link, the environment or `signalbox admin grant-operator`.
         *
         *     Needs a person who is operator of the instance.
         */
        get: operations["instance.operators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/master-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which master key seals, and how far its rotation is
         * @description Needs a person who is operator of the instance.
         */
        get: operations["instance.master-key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/master-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the master key; every stored secret is sealed anew while the instance works
         * @description Where the key comes from a setting this answers 409 and says what to do there. A rotation that is interrupted goes on at the next start.
         *
         *     Needs a person who is operator of the instance.
         */
        post: operations["instance.rotate-master-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys of access tokens, newest first
         * @description Needs a person who is operator of the instance.
         */
        get: operations["instance.signing-keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign access tokens with a new key
         * @description Happens by itself every 90 days. The new key signs after ten seconds; older ones verify until their last token has expired. With `immediate` they end at once, for a key that leaked: every access token is refused and has to be refreshed.
         *
         *     Needs a person who is operator of the instance.
         */
        post: operations["instance.rotate-signing-keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the clock of the machine is believed, and by which time things are deleted
         * @description The clock is held against one that nobody sets, the last run and the newest rows. While it is doubted, telemetry, old sessions, keys and the like are not deleted by it. With several nodes this is the clock of the one that answers.
         *
         *     Needs a person who is operator of the instance.
         */
        get: operations["instance.clock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance/clock/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm that the clock is right though it jumped far ahead
         * @description Deleting by time goes on an hour after the jump, with the new time. 409 when the clock is not doubted.
         *
         *     Needs a person who is operator of the instance.
         */
        post: operations["instance.confirm-clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process runs
         * @description Needs no credential.
         */
        get: operations["system.livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alias of /livez
         * @description Needs no credential.
         */
        get: operations["system.healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The program can serve: stores writable and migrated, not draining (else 503)
         * @description Needs no credential.
         */
        get: operations["system.readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The version of the program
         * @description Needs no credential.
         */
        get: operations["system.version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens in the workspace, as server-sent events
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["events.stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Spans as they are recorded, as server-sent events `span` and `gap`
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/spans/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored spans as a file
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.export_spans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored logs as a file
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.export_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/metrics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored metrics as a file
         * @description Needs a person of the workspace, or a key with the scope `telemetry:read`.
         */
        get: operations["telemetry.export_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Records of the audit log as a file
         * @description Needs a person with the role `auditor` or `admin` or `owner`, or a key with the scope `audit:read`.
         */
        get: operations["audit.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A list of Spotlight as a file
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spotlight/mcp/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Findings about MCP as a file
         * @description Needs a person of the workspace, or a key with the scope `spotlight:read`.
         */
        get: operations["spotlight.mcp_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccessDifference */
        AccessDifference: {
            agent: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                uuid: string;
                name: string;
            };
            server: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                name: string;
            };
            gained: string[];
            lost: string[];
        };
        /** AccessGrant */
        AccessGrant: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server_id: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            agent_uuid: string;
            /** @enum {string} */
            access_mode: "all" | "selected";
            allowed_tools: string[] | null;
            allowed_prompts: string[] | null;
            allowed_resources: string[] | null;
            enabled: boolean;
            expires_at: string | null;
            /** @description Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy. What is allowed in it: docs/access.md */
            constraints: {
                [key: string]: unknown;
            };
            /** @description Tool → `ask`: a call needs the approval of a person */
            approval: {
                [key: string]: "ask";
            };
            /**
             * @description Whose approval counts: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent, asked by their client
             * @enum {string}
             */
            approver: "workspace" | "caller";
            approval_wait_ms: number | null;
            /** @description Tools that are denied by their annotations, also where the grant names them: `destructiveHint`: all but those that say they are read-only or not destructive; `openWorldHint`: all but those that say they stay within a closed world. Annotations are the server's own word, and nobody checks them */
            denied_hints: ("destructiveHint" | "openWorldHint")[];
            /** @description Tool, or `*` for all tools of the server together → limits of the calls of this agent */
            call_limits: {
                [key: string]: components["schemas"]["CallLimits"];
            };
            source: components["schemas"]["GrantSource"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            /** @description What is stored, but does nothing as things are now: names that nothing has, say. Empty when all is well */
            warnings: string[];
        };
        /** AccessOfAgent */
        AccessOfAgent: {
            access: components["schemas"]["GrantOfAgent"][];
            effective: components["schemas"]["EffectiveAccess"][];
            definition_tokens: number | null;
        };
        /** AccessRequest */
        AccessRequest: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            agent: components["schemas"]["RequestingAgent"];
            server: components["schemas"]["RequestedServer"];
            tool: string | null;
            reason: string;
            /** @enum {string} */
            status: "pending" | "granted" | "declined";
            requested_by: components["schemas"]["Requester"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            requested_at: string;
            decided_by: string | null;
            decided_at: string | null;
        };
        /** AccessRequestList */
        AccessRequestList: {
            access_requests: components["schemas"]["AccessRequest"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AccessSuggestion */
        AccessSuggestion: {
            /** @description The same as long as the suggestion is */
            id: string;
            /** @enum {string} */
            kind: "unseen_agent" | "unused_grant" | "all_to_used_tools" | "unused_tools" | "unused_tools_of_toolset";
            /** @enum {string} */
            state: "open" | "applied" | "reverted";
            /** @description Whether `apply` makes the change; toolsets and groups are changed by hand */
            applicable: boolean;
            agent: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                uuid: string;
                name: string;
            } | null;
            server: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                name: string;
            } | null;
            toolset: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                name: string;
            } | null;
            changes: components["schemas"]["SuggestedChange"][];
            evidence: components["schemas"]["SuggestionEvidence"];
            applied_at: string | null;
            reverted_at: string | null;
        };
        /** AccessSuggestionList */
        AccessSuggestionList: {
            suggestions: components["schemas"]["AccessSuggestion"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AccessToken */
        AccessToken: {
            token?: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** Actor */
        Actor: {
            /** @enum {string} */
            kind: "user" | "platform_key" | "agent_key" | "ingest_token" | "system";
            id: string | null;
            name: string;
        };
        /** Agent */
        Agent: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            uuid: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            description: string;
            /** @enum {string} */
            status: "active" | "paused" | "stopped" | "error";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            /** @description Servers that the agent may use by its grants */
            mcp_server_count: number;
            last_seen_at: string | null;
            groups: string[];
            model_access: components["schemas"]["ModelAccess"];
            call_limits: components["schemas"]["CallLimits"] | null;
            /**
             * @description On `/mcp`: `all` lists every granted tool; `search` lists `find_tools` and `call_tool`, by which all granted tools are found and called; `auto` does so when the definitions have more than about 20,000 tokens
             * @enum {string}
             */
            tool_face: "all" | "search" | "auto";
        };
        /** AgentAccess */
        AgentAccess: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            agent: components["schemas"]["AgentSummary"];
            /** @enum {string} */
            access_mode: "all" | "selected";
            allowed_tools: string[] | null;
            allowed_prompts: string[] | null;
            allowed_resources: string[] | null;
            enabled: boolean;
            expires_at: string | null;
            /** @description Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy. What is allowed in it: docs/access.md */
            constraints: {
                [key: string]: unknown;
            };
            /** @description Tool → `ask`: a call needs the approval of a person */
            approval: {
                [key: string]: "ask";
            };
            /**
             * @description Whose approval counts: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent, asked by their client
             * @enum {string}
             */
            approver: "workspace" | "caller";
            approval_wait_ms: number | null;
            /** @description Tools that are denied by their annotations, also where the grant names them: `destructiveHint`: all but those that say they are read-only or not destructive; `openWorldHint`: all but those that say they stay within a closed world. Annotations are the server's own word, and nobody checks them */
            denied_hints: ("destructiveHint" | "openWorldHint")[];
            /** @description Tool, or `*` for all tools of the server together → limits of the calls of this agent */
            call_limits: {
                [key: string]: components["schemas"]["CallLimits"];
            };
            source: components["schemas"]["GrantSource"];
        };
        /** AgentAccessList */
        AgentAccessList: {
            access: components["schemas"]["AgentAccess"][];
        };
        /** AgentFigures */
        AgentFigures: {
            agent: {
                id: string | null;
                name: string | null;
            };
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** AgentInstall */
        AgentInstall: {
            /** @description The MCP endpoint for clients with a key */
            url: string;
            /** @description To be replaced by a key of the agent */
            key_placeholder: string;
            clients: components["schemas"]["ClientInstall"][];
        };
        /** AgentList */
        AgentList: {
            agents: components["schemas"]["Agent"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AgentSummary */
        AgentSummary: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            uuid: string;
            name: string;
            /** @enum {string} */
            status: "active" | "paused" | "stopped" | "error";
        };
        /**
         * Alert
         * @description Only alerts of the kind `question` have a question, a figure and a condition
         */
        Alert: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @enum {string} */
            kind: "question" | "server_down" | "definition_changed" | "error_spike" | "spend_spike" | "agent_loop";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            question_id: string | null;
            figure: ("calls" | "errors" | "error_rate" | "latency_p50_ms" | "latency_p95_ms" | "latency_p99_ms" | "tokens" | "cost_usd" | "unpriced_calls" | "sessions" | "users") | null;
            condition: ("above" | "below" | "rise" | "fall" | "no_data") | null;
            threshold: number | null;
            /** @description How long it must hold before it fires, and be over before it is resolved */
            for_s: number;
            /** @description How often it is judged */
            interval_s: number;
            /** @description Who is told by e-mail */
            emails: string[];
            enabled: boolean;
            muted_until: string | null;
            state: components["schemas"]["AlertState"];
        };
        /** AlertHistory */
        AlertHistory: {
            transitions: components["schemas"]["AlertTransition"][];
        };
        /** AlertList */
        AlertList: {
            alerts: components["schemas"]["Alert"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AlertState */
        AlertState: {
            /**
             * @description `unknown`: it cannot be judged now, since a store does not answer
             * @enum {string}
             */
            status: "ok" | "firing" | "no_data" | "unknown";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            since: string;
            value: number | null;
            /** @description What is the case, in a sentence */
            text: string;
            /** @description The screen where one sees it */
            url: string;
            evaluated_at: string | null;
            mail: ("waiting" | "sent" | "failed" | "no_mail_server") | null;
        };
        /** AlertTest */
        AlertTest: {
            /**
             * @description `unknown`: it cannot be judged now, since a store does not answer
             * @enum {string}
             */
            status: "ok" | "firing" | "no_data" | "unknown";
            value: number | null;
            /** @description What is the case, in a sentence */
            text: string;
            /** @description The screen where one sees it */
            url: string;
            mail: ("waiting" | "sent" | "failed" | "no_mail_server") | null;
        };
        /** AlertTransition */
        AlertTransition: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            at: string;
            /**
             * @description `unknown`: it cannot be judged now, since a store does not answer
             * @enum {string}
             */
            from: "ok" | "firing" | "no_data" | "unknown";
            /**
             * @description `unknown`: it cannot be judged now, since a store does not answer
             * @enum {string}
             */
            to: "ok" | "firing" | "no_data" | "unknown";
            value: number | null;
            /** @description What is the case, in a sentence */
            text: string;
            told: ("firing" | "resolved") | null;
        };
        /** Approval */
        Approval: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            agent: components["schemas"]["AskingAgent"];
            server: components["schemas"]["AskedServer"];
            tool: string;
            asked_by: components["schemas"]["Asker"] | null;
            /** @description Of the call; secrets are `[redacted]` */
            arguments: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            approver: "workspace" | "caller";
            /** @enum {string} */
            status: "pending" | "approved" | "used" | "denied" | "expired" | "revoked";
            reason: string | null;
            decided_at: string | null;
            decided_by: components["schemas"]["Decider"] | null;
            valid_until: string | null;
            for_minutes: number | null;
            used_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            requested_at: string;
            /**
             * Format: date-time
             * @description Until when it can be decided
             */
            expires_at: string;
        };
        /** ApprovalList */
        ApprovalList: {
            approvals: components["schemas"]["Approval"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AskedServer */
        AskedServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            slug: string;
        };
        /**
         * Asker
         * @description Whose call it is; null for one of the playground
         */
        Asker: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            credential_id: string;
            /** @description Of the key, or of the client that is connected by OAuth */
            name: string;
            user: components["schemas"]["PersonOfClient"] | null;
        };
        /** AskingAgent */
        AskingAgent: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            uuid: string;
            name: string;
        };
        /**
         * AuditHead
         * @description The newest link. Kept elsewhere, it shows later that nothing before it was changed
         */
        AuditHead: {
            seq: number;
            chain: string;
        };
        /** AuditList */
        AuditList: {
            audit: components["schemas"]["AuditRecord"][];
            next_cursor: string | null;
        };
        /** AuditRecord */
        AuditRecord: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            at: string;
            actor: components["schemas"]["Actor"];
            /** @description `area.verb`, `denied`, or `cut` for a call that was ended after it had been sent */
            action: string;
            target: components["schemas"]["AuditTarget"] | null;
            detail: {
                [key: string]: unknown;
            };
            request_id: string | null;
        };
        /** AuditTarget */
        AuditTarget: {
            kind: string;
            id: string;
            name: string;
        };
        /** AuditVerification */
        AuditVerification: {
            intact: boolean;
            /** @description Records that hold, from the first one on */
            records: number;
            head: components["schemas"]["AuditHead"];
            bad: components["schemas"]["BadAuditRecord"] | null;
        };
        /** Authorization */
        Authorization: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            client: {
                id: string;
                name: string;
            };
            user: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                email: string;
            };
            agent: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                uuid: string;
                name: string;
            };
            resource: string;
            scopes: string[];
            /** @enum {string} */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** AuthorizationList */
        AuthorizationList: {
            authorizations: components["schemas"]["Authorization"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** AwsCredential */
        AwsCredential: {
            access_key_id: string;
            secret_access_key: string;
            /** @description As in eu-central-1 */
            region: string;
            session_token?: string;
        };
        /**
         * BadAuditRecord
         * @description The first record that does not hold
         */
        BadAuditRecord: {
            seq: number;
            id: string | null;
            reason: string;
        };
        /**
         * Budget
         * @description The state is null where each of its kind has an amount of its own
         */
        Budget: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * @description Whose calls are counted together
             * @enum {string}
             */
            scope: "workspace" | "agent" | "key" | "session" | "user";
            scope_id: string | null;
            /** @enum {string} */
            unit: "nano_usd" | "tokens";
            /**
             * @description Calendar windows begin in `time_zone`; a week on Monday
             * @enum {string}
             */
            window: "hour" | "day" | "week" | "month" | "rolling";
            /**
             * @description IANA name
             * @example Europe/Berlin
             */
            time_zone: string;
            rolling_s: number | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            /**
             * @description Integer nano-dollars, or tokens; 1 dollar is 1000000000
             * @example 5000000000
             */
            limit: string;
            /**
             * @description `hard` refuses and stops calls, `soft` only tells
             * @enum {string}
             */
            mode: "hard" | "soft";
            /**
             * @description What becomes of calls of models without a price; `ceiling` counts each as that amount
             * @enum {string}
             */
            unpriced: "deny" | "allow" | "ceiling";
            unpriced_ceiling: string | null;
            /** @description Percentages at which `budget.threshold` is told */
            thresholds: number[];
            /** @description Who can help; refusals name it */
            contact: string;
            enabled: boolean;
            state: components["schemas"]["BudgetState"] | null;
        };
        /** BudgetList */
        BudgetList: {
            budgets: components["schemas"]["Budget"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** BudgetSpending */
        BudgetSpending: {
            scope_id: string | null;
            state: components["schemas"]["BudgetState"];
        };
        /** BudgetSpendingList */
        BudgetSpendingList: {
            spending: components["schemas"]["BudgetSpending"][];
        };
        /** BudgetState */
        BudgetState: {
            /** @description Integer nano-dollars, or tokens, as the unit says */
            spent: string;
            /** @description Held for running calls and by processes */
            reserved: string;
            /** @description Held by a process that ended without a word: counts as spent until the window ends */
            uncertain: string;
            /** @description Integer nano-dollars, or tokens, as the unit says */
            left: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            window_start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            window_end: string;
            exhausted_at: string | null;
        };
        /** CacheMiss */
        CacheMiss: {
            trace_id: string;
            span_id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            session_id: string;
            agent: {
                id: string | null;
                name: string | null;
            };
            connection: string | null;
            provider: string | null;
            model: string | null;
            /** @enum {string} */
            cause: "model_changed" | "connection_changed" | "cache_key_changed" | "not_marked" | "below_minimum" | "expired" | "tools_changed" | "system_changed" | "parameters_changed" | "history_compacted" | "messages_changed" | "concurrent" | "provider_miss";
            /** @description What would have missed the cache without it */
            also: ("model_changed" | "connection_changed" | "cache_key_changed" | "not_marked" | "below_minimum" | "expired" | "tools_changed" | "system_changed" | "parameters_changed" | "history_compacted" | "messages_changed" | "concurrent" | "provider_miss")[];
            part: components["schemas"]["ChangedPart"] | null;
            before: components["schemas"]["CallBefore"];
            /** @description Tokens that the call before had left in the cache, and that were not read from there */
            missed_tokens: number;
            extra_cost_nano_usd: string | null;
            extra_cost_usd: string | null;
        };
        /** CacheMissExplained */
        CacheMissExplained: {
            /**
             * @description `not_judged`: no earlier call of its session has the same conversation, its usage is unknown, or its prompt is not recorded
             * @enum {string}
             */
            verdict: "miss" | "no_miss" | "not_judged";
            miss: components["schemas"]["CacheMiss"] | null;
            difference: components["schemas"]["FirstDifference"] | null;
        };
        /** CacheMissList */
        CacheMissList: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            /** @description Calls of sessions with reported usage */
            calls: number;
            /** @description False: more calls may have missed than were looked at */
            complete: boolean;
            /** @description Misses found */
            total: number;
            /** @description Tokens that the call before had left in the cache, and that were not read from there */
            missed_tokens: number;
            extra_cost_nano_usd: string | null;
            extra_cost_usd: string | null;
            /** @description Misses without a price: not in the sum */
            unpriced_calls: number;
            /** @description Dearest first */
            causes: components["schemas"]["CacheMissTally"][];
            cache_misses: components["schemas"]["CacheMiss"][];
        };
        /** CacheMissTally */
        CacheMissTally: {
            /** @enum {string} */
            cause: "model_changed" | "connection_changed" | "cache_key_changed" | "not_marked" | "below_minimum" | "expired" | "tools_changed" | "system_changed" | "parameters_changed" | "history_compacted" | "messages_changed" | "concurrent" | "provider_miss";
            calls: number;
            /** @description Tokens that the call before had left in the cache, and that were not read from there */
            missed_tokens: number;
            extra_cost_nano_usd: string | null;
            extra_cost_usd: string | null;
        };
        /**
         * CallBefore
         * @description The earlier call of the session that the prompt goes on with
         */
        CallBefore: {
            trace_id: string;
            span_id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            connection: string | null;
            model: string | null;
        };
        /** CallFigures */
        CallFigures: {
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
        };
        /** CallLimits */
        CallLimits: {
            calls_per_minute: number | null;
            concurrency: number | null;
        };
        /** CallRecording */
        CallRecording: {
            /**
             * @description What becomes of a tool or model call while the telemetry log is full: `required` refuses it with 503 before anything happens, `best-effort` serves it without a record and counts the gap
             * @enum {string}
             */
            mode: "required" | "best-effort";
            /** @description Whether arguments and results of tool calls are recorded: redacted, at most 16 KiB each. A server may say otherwise in its `configuration` */
            tool_content: boolean;
        };
        /** CallView */
        CallView: {
            /** @enum {string} */
            side: "client" | "gateway" | "server";
            trace_id: string;
            span_id: string;
            /**
             * @description `exact`: one trace, or the ids of request and session, tool use or answer. `strong`: the only one with the same tool and server, session, client or arguments in that time. `weak`: the only one of the tool in that time; counted as a call of its own
             * @enum {string}
             */
            confidence: "exact" | "strong" | "weak";
            /** @description Whether it stands for the call in all figures */
            is_counted: boolean;
            name: string;
            service_name: string | null;
            status: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            duration_ms: number | null;
            /** @description From the start of the outermost view, as if all clocks were the same: where the clocks say that it began before or ended after the view around it, it lies in its middle */
            starts_after_ms: number;
            /** @description By how much its clock seems to be ahead of that of the view around it; 0: nothing seen */
            clock_offset_ms: number;
        };
        /** CallViews */
        CallViews: {
            /** @enum {string} */
            kind: "tool_call" | "model_call";
            tool: string | null;
            model: string | null;
            /** @description The outermost first */
            views: components["schemas"]["CallView"][];
            between: components["schemas"]["TimeBetween"][];
        };
        /** CarriedMessage */
        CarriedMessage: {
            /**
             * @description What it is in the call; `answer` is what the model said. A tool call has `arguments` and `result`
             * @enum {string}
             */
            kind: "settings" | "tool" | "system" | "message" | "answer" | "arguments" | "result";
            name: string | null;
            /** @description The same for the same piece in every call of the workspace */
            hash: string;
            /** @description Of its JSON as it was sent */
            bytes: number;
            text: string | null;
        };
        /** CarriedMessages */
        CarriedMessages: {
            trace_id: string;
            span_id: string;
            session_id: string | null;
            messages: components["schemas"]["CarriedMessage"][];
        };
        /** ChangeData */
        ChangeData: {
            actor: {
                kind: string;
                id: string | null;
                name: string;
            };
            target: {
                kind: string;
                id: string;
                name: string;
            } | null;
            /** @description `{"truncated":true}` when it is too large */
            detail: {
                [key: string]: unknown;
            };
            request_id: string | null;
            audit_id: string;
        };
        /** ChangedPart */
        ChangedPart: {
            /** @enum {string} */
            kind: "tool" | "system" | "message";
            /** @description Of a tool its name, of a message its role */
            name: string;
            server: string | null;
            /** @description Among the tools, or among the system texts and messages, from 1 */
            position: number;
            /** @enum {string} */
            change: "added" | "removed" | "changed" | "moved";
        };
        /** ChangedWebhook */
        ChangedWebhook: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            disabled_reason: string | null;
            failing_since: string | null;
            old_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            url: string;
            description: string;
            events: string[];
            enabled: boolean;
            /** @description The signing secret (`whsec_…`), shown only here */
            secret?: string;
        };
        /** ClientFigures */
        ClientFigures: {
            client: string | null;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** ClientInstall */
        ClientInstall: {
            /** @enum {string} */
            client: "claude-code" | "codex" | "cursor" | "vs-code" | "windsurf" | "claude-desktop" | "gemini-cli" | "generic";
            name: string;
            /** @description Alternatives, the best first */
            steps: components["schemas"]["InstallStep"][];
        };
        /** Consent */
        Consent: {
            client: components["schemas"]["OauthClient"];
            /** @description Where the answer goes: a host, or the name of a scheme */
            redirect_host: string;
            /** @description Whether the answer goes to a program on the own computer */
            is_local: boolean;
            scopes: {
                scope: string;
                description: string;
            }[];
            resource: string;
            server: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                name: string;
            } | null;
            workspace: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
            };
            own_agent: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                uuid: string;
                name: string;
            } | null;
            /** @description Whether the person may name another agent than their own */
            may_choose_agent: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** ConsentDecision */
        ConsentDecision: {
            redirect_url: string;
        };
        /**
         * CountBySignal
         * @description Spans, data points and log records since the start of the program
         */
        CountBySignal: {
            traces: number;
            metrics: number;
            logs: number;
        };
        /** Decider */
        Decider: {
            kind: string;
            id: string | null;
            name: string;
        };
        /** DefinitionChange */
        DefinitionChange: {
            server: components["schemas"]["McpQuestionRef"];
            tool: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            changed_at: string;
            before: components["schemas"]["DefinitionVersionFigures"];
            after: components["schemas"]["DefinitionVersionFigures"];
            error_rate_change: number | null;
            p95_change_ms: number | null;
        };
        /** DefinitionChanges */
        DefinitionChanges: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            definition_changes: components["schemas"]["DefinitionChange"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** DefinitionDiff */
        DefinitionDiff: {
            name: string;
            from_hash: string | null;
            /** @description SHA-256 over the canonical definition */
            to_hash: string;
            /** @description Whether calls by the first stay valid under the second */
            compatible: boolean;
            incompatibility: string | null;
            differences: components["schemas"]["DefinitionDifference"][];
        };
        /** DefinitionDifference */
        DefinitionDifference: {
            part: string;
            /** @description JSON pointer into the part */
            pointer: string;
            /** @enum {string} */
            change: "added" | "removed" | "changed";
            from: unknown;
            to: unknown;
            /** @description The same as a sentence; what hides is written as \u{…} */
            text: string;
        };
        /** DefinitionFlag */
        DefinitionFlag: {
            code: string;
            /** @enum {string} */
            severity: "high" | "medium";
            /** @description JSON pointer into the definition */
            pointer: string;
            /** @description Where in that text it begins */
            position: number;
            /** @description What stands there; what hides is written as \u{…} */
            excerpt: string;
        };
        /** DefinitionList */
        DefinitionList: {
            /** @enum {string} */
            definition_policy: "allow" | "keep-approved" | "suspend";
            definitions: components["schemas"]["PinnedTool"][];
            definition_tokens: number | null;
        };
        /** DefinitionVersion */
        DefinitionVersion: {
            /** @description SHA-256 over the canonical definition */
            hash: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen: string;
            current: boolean;
            approved: boolean;
            definition_tokens: number | null;
            flags: components["schemas"]["DefinitionFlag"][];
            /** @description As the server sent it */
            definition: unknown;
        };
        /** DefinitionVersionFigures */
        DefinitionVersionFigures: {
            /** @description SHA-256 over the canonical definition */
            hash: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            until: string;
            /** @description Tool calls, each counted once */
            calls: number;
            errors: number;
            error_rate: number | null;
            p95_ms: number | null;
        };
        /** DefinitionVersionList */
        DefinitionVersionList: {
            versions: components["schemas"]["DefinitionVersion"][];
        };
        /** Delivery */
        Delivery: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description The `webhook-id` of every attempt */
            event_id: string;
            type: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            attempted_at: string | null;
            next_attempt_at: string | null;
            response_status: number | null;
            duration_ms: number | null;
            error: string | null;
        };
        /** DeliveryDetail */
        DeliveryDetail: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description The `webhook-id` of every attempt */
            event_id: string;
            type: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            attempted_at: string | null;
            next_attempt_at: string | null;
            response_status: number | null;
            duration_ms: number | null;
            error: string | null;
            /** @description As it is sent */
            body: string;
            response_body: string | null;
        };
        /** DeliveryList */
        DeliveryList: {
            deliveries: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        /** Demo */
        Demo: {
            /** @enum {string} */
            state: "none" | "making" | "ready" | "failed";
            workspace_id: string | null;
            created_at: string | null;
            /** @description Once it is ready */
            highlights: components["schemas"]["DemoHighlight"][];
        };
        /** DemoHighlight */
        DemoHighlight: {
            /** @enum {string} */
            kind: "agent_loop" | "changed_tool" | "budget_breach";
            text: string;
            /** @description In the dashboard, after `/ui` */
            path: string;
        };
        /** DenialCount */
        DenialCount: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            minute: string;
            /** @description Of the client; empty for those beyond the first 10,000 at once */
            address: string;
            /** @description Code of the problem that was answered */
            code: string;
            count: number;
        };
        /** DenialList */
        DenialList: {
            denials: components["schemas"]["DenialCount"][];
            next_cursor: string | null;
        };
        /** DroppedItems */
        DroppedItems: {
            /** @enum {string} */
            signal: "traces" | "metrics" | "logs";
            reason: string;
            items: number;
        };
        /**
         * DroppedParts
         * @description What the sender left out of the span
         */
        DroppedParts: {
            attributes: number;
            events: number;
            links: number;
        };
        /** EffectiveAccess */
        EffectiveAccess: {
            server: components["schemas"]["ServerSummary"];
            definition_tokens: number | null;
            tools: components["schemas"]["EffectiveTool"][];
        };
        /**
         * EffectivePrice
         * @description Without input of over-long contexts; empty when unpriced
         */
        EffectivePrice: {
            rates: components["schemas"]["EffectiveRate"][];
        };
        /** EffectiveRate */
        EffectiveRate: {
            dimension: string;
            nano_usd_per_million: string;
            /** @description '' for none */
            factor: string;
            /** @description Source, version, entry and first day, as in the ledger */
            price: string;
        };
        /** EffectiveTool */
        EffectiveTool: {
            name: string;
            allowed: boolean;
            /** @enum {string} */
            reason: "granted_all" | "granted_selected" | "granted_constrained" | "granted_on_approval" | "agent_unknown" | "agent_not_active" | "server_unknown" | "server_inactive" | "no_grant" | "grant_expired" | "grant_disabled" | "tool_not_selected" | "denied_by_hint" | "prompt_not_selected" | "resource_not_selected" | "arguments_refused" | "approval_required" | "definition_changed" | "undecidable";
            text: string;
            definition_tokens: number | null;
            /** @description The grants that allow the tool; empty when it is denied */
            via: components["schemas"]["GrantingGrant"][];
        };
        /** Erasure */
        Erasure: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            session_id: string | null;
            user_id: string | null;
            /** @enum {string} */
            status: "pending" | "done";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            erased_at: string | null;
        };
        /** ErasureList */
        ErasureList: {
            erasures: components["schemas"]["Erasure"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ErrorFigures */
        ErrorFigures: {
            error_type: string | null;
            kind: string;
            status: string;
            server: {
                id: string | null;
                name: string | null;
            };
            tool: string | null;
            model: string | null;
            /** @description Of the newest */
            message: string;
            /** @description Of the newest */
            trace_id: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** FirstDifference */
        FirstDifference: {
            /** @description Characters that both have in common */
            offset: number;
            before: string | null;
            after: string | null;
        };
        /** Forwarder */
        Forwarder: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @enum {string} */
            kind: "otlp" | "syslog";
            /** @description Names of the stored headers; values are never shown */
            header_names: string[];
            state: components["schemas"]["ForwarderState"][];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            url: string;
            signals: ("spans" | "metrics" | "logs" | "audit")[];
            filter: components["schemas"]["ForwarderFilter"];
            enabled: boolean;
        };
        /**
         * ForwarderFilter
         * @description What of the signals is sent; audit records are all sent
         */
        ForwarderFilter: {
            /** @description Spans of these kinds only */
            kinds?: ("tool_call" | "mcp" | "model_call" | "other")[];
            /** @description Spans of these agents only, by id */
            agents?: string[];
            /** @description Spans of these servers only, by id */
            servers?: string[];
            /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
            attributes?: string[];
        };
        /** ForwarderList */
        ForwarderList: {
            forwarders: components["schemas"]["Forwarder"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ForwarderState */
        ForwarderState: {
            /** @enum {string} */
            signal: "spans" | "metrics" | "logs" | "audit";
            /** @description Up to where all is sent: a time of storing, or the number of an audit record */
            position: string;
            /** @description Age of the oldest thing that may wait; 0 when nothing waits */
            lag_s: number;
            /** @description Taken by the receiver, counted per row or record */
            sent: number;
            /** @description Refused by the receiver for good, and not sent again */
            refused: number;
            last_refusal: string | null;
            sent_at: string | null;
            error: string | null;
            failing_since: string | null;
            next_attempt_at: string | null;
        };
        /** ForwarderTest */
        ForwarderTest: {
            results: {
                /** @enum {string} */
                signal: "spans" | "metrics" | "logs" | "audit";
                taken: boolean;
                error: string | null;
            }[];
        };
        /** GrantOfAgent */
        GrantOfAgent: {
            grant: components["schemas"]["AccessGrant"];
            server: components["schemas"]["ServerSummary"];
            tools: components["schemas"]["ToolVerdict"][];
        };
        /** GrantSource */
        GrantSource: {
            /** @enum {string} */
            kind: "manual" | "toolset";
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id?: string;
            name?: string;
        };
        /** GrantingGrant */
        GrantingGrant: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            grant_id: string;
            source: components["schemas"]["GrantSource"];
        };
        /** Health */
        Health: {
            /** @enum {string} */
            status: "unknown" | "healthy" | "degraded" | "unhealthy";
            latency_ms: number | null;
            protocol_version: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_checked: string;
            error: string | null;
        };
        /** HealthCheck */
        HealthCheck: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            at: string;
            /**
             * @description The health of the server after this check
             * @enum {string}
             */
            status: "unknown" | "healthy" | "degraded" | "unhealthy";
            latency_ms: number | null;
            error: string | null;
            protocol_version: string | null;
            tools: number | null;
        };
        /** HealthHistory */
        HealthHistory: {
            health_checks: components["schemas"]["HealthCheck"][];
            next_cursor: string | null;
        };
        /** Hook */
        Hook: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @enum {string} */
            action: "deny" | "redact" | "webhook";
            old_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            enabled: boolean;
            /**
             * @description `dry_run` records what it would have done and changes nothing
             * @enum {string}
             */
            mode: "dry_run" | "enforce";
            /** @description `request`: what goes to the provider; `response`: an answer that is whole JSON; `stream`: an answer in events, which `redact` cannot change */
            stages: ("request" | "response" | "stream")[];
            /** @description Names of connections and routes; `*` stands for any characters */
            connections: string[];
            /** @description Names of models, as they are asked for; a call whose model cannot be told is one of all; `*` stands for any characters */
            models: string[];
            /** @description Names or ids of agents; calls without an agent need `*`; `*` stands for any characters */
            agents: string[];
            /** @description How long a webhook may take for one answer */
            timeout_ms: number;
            /**
             * @description What becomes of a call when the hook cannot tell: a webhook without an answer, an answer that is no readable JSON. `open`: it goes on; `closed`: it is refused. A request that cannot be read is refused by every hook that enforces
             * @enum {string}
             */
            fail_mode: "open" | "closed";
            pattern: string | null;
            label: string;
            url: string | null;
        };
        /** HookList */
        HookList: {
            hooks: components["schemas"]["Hook"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ImportedServer */
        ImportedServer: {
            /** @description The name in the file, which is also the name of the server */
            name: string;
            /**
             * @description `skipped`: a server of this name exists already, and is left as it is
             * @enum {string}
             */
            outcome: "created" | "skipped" | "refused";
            id: string | null;
            slug: string | null;
            code: string | null;
            detail: string | null;
        };
        /** ImportedServers */
        ImportedServers: {
            mcp_servers: components["schemas"]["ImportedServer"][];
        };
        /** IngestToken */
        IngestToken: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description First characters of the secret */
            prefix: string;
            last4: string;
            /** @enum {string} */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            rotation: components["schemas"]["Rotation"] | null;
            name: string;
            expires_at: string | null;
            allowed_addresses: string[] | null;
        };
        /** IngestTokenList */
        IngestTokenList: {
            ingest_tokens: components["schemas"]["IngestToken"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** InstallStep */
        InstallStep: {
            /** @enum {string} */
            kind: "command" | "file" | "link";
            path?: string;
            /** @enum {string} */
            language?: "json" | "toml" | "shell";
            text: string;
        };
        /** InstanceClock */
        InstanceClock: {
            /**
             * @description doubted: nothing is deleted by time until `deletes_again_at`. unconfirmed: the clock is so far ahead that an operator must confirm it first
             * @enum {string}
             */
            status: "believed" | "doubted" | "unconfirmed";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            now: string;
            /**
             * Format: date-time
             * @description What is deleted by its age is as old as it is at this time
             * @example 2026-11-21T08:30:00.000Z
             */
            deletes_as_of: string;
            /** @description How far the clock is ahead of what can be; 0 while it is believed */
            ahead_ms: number;
            deletes_again_at: string | null;
        };
        /** InstanceWorkspace */
        InstanceWorkspace: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            member_count: number;
            rights: components["schemas"]["WorkspaceRights"];
        };
        /** InstanceWorkspaceList */
        InstanceWorkspaceList: {
            workspaces: components["schemas"]["InstanceWorkspace"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** InvalidArgument */
        InvalidArgument: {
            server: components["schemas"]["McpQuestionRef"];
            tool: string;
            field: string | null;
            /** @description Calls that were refused for it */
            failures: number;
            /** @description All calls of the tool through the gateway */
            calls: number;
            failure_rate: number;
            /** @description How many agents it happened to */
            agents: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_at: string;
            /** @description Of the newest */
            trace_id: string;
        };
        /** InvalidArguments */
        InvalidArguments: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            invalid_arguments: components["schemas"]["InvalidArgument"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** Invitation */
        Invitation: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            email: string;
            /** @enum {string} */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
            invited_by: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** InvitationList */
        InvitationList: {
            invitations: components["schemas"]["Invitation"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** InvitationPreview */
        InvitationPreview: {
            workspace: {
                name: string;
            };
            email: string;
            /** @enum {string} */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
            account_exists: boolean;
            /**
             * @description What accepting takes: a password for the new account, being signed in as this person, or the password of an account that belongs to no workspace any more
             * @enum {string}
             */
            needs: "new_password" | "session" | "password";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** Jwk */
        Jwk: {
            kty: string;
            crv: string;
            x: string;
            y: string;
            kid: string;
            alg: string;
            use: string;
        };
        /** Jwks */
        Jwks: {
            keys: components["schemas"]["Jwk"][];
        };
        /** Key */
        Key: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description First characters of the secret */
            prefix: string;
            last4: string;
            /** @enum {string} */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            rotation: components["schemas"]["Rotation"] | null;
            name: string;
            expires_at: string | null;
            allowed_addresses: string[] | null;
            scopes: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "forwarders:read" | "forwarders:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "programs:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
            agent_uuid: string | null;
            /**
             * @description When the client of a model call goes away: `abort` ends the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to its end
             * @enum {string}
             */
            on_disconnect: "abort" | "drain" | "detach";
        };
        /** KeyList */
        KeyList: {
            keys: components["schemas"]["Key"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** LangfuseError */
        LangfuseError: {
            id: string;
            status: number;
            message: string;
            error: string;
        };
        /** LangfuseIngestion */
        LangfuseIngestion: {
            successes: components["schemas"]["LangfuseSuccess"][];
            errors: components["schemas"]["LangfuseError"][];
        };
        /** LangfuseOrganization */
        LangfuseOrganization: {
            id: string;
            name: string;
        };
        /** LangfuseProject */
        LangfuseProject: {
            id: string;
            name: string;
            organization: components["schemas"]["LangfuseOrganization"];
            metadata: Record<string, never>;
        };
        /** LangfuseProjects */
        LangfuseProjects: {
            data: components["schemas"]["LangfuseProject"][];
        };
        /**
         * LangfuseScore
         * @description As Langfuse’s SDKs send it; other fields are not kept
         */
        LangfuseScore: {
            id?: string | null;
            traceId?: string | null;
            observationId?: string | null;
            sessionId?: string | null;
            name?: string;
            value?: number | string | boolean | null;
            dataType?: string | null;
            comment?: string | null;
            timestamp?: string | null;
        };
        /** LangfuseScoreId */
        LangfuseScoreId: {
            /** @description Of the first one */
            id: string;
        };
        /** LangfuseSuccess */
        LangfuseSuccess: {
            id: string;
            status: number;
        };
        /** Latency */
        Latency: {
            p50: number | null;
            p95: number | null;
            p99: number | null;
        };
        /**
         * LedgerEntry
         * @description One billed quantity; null prices are unpriced, not free
         */
        LedgerEntry: {
            /** @description What was billed: in_text, cache_read, cache_write_1h, out_reasoning, … */
            dimension: string;
            quantity: number;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            nano_usd_per_million: string | null;
            /** @description Of batch, service tier, speed and place, as a fraction */
            factor: string;
            /** @description 0 is the answer itself; models may run beside it */
            iteration: number;
            model: string;
            price: string | null;
        };
        /** LedgerList */
        LedgerList: {
            ledger: components["schemas"]["LedgerRow"][];
            sums: components["schemas"]["LedgerSums"];
            next_cursor: string | null;
        };
        /** LedgerRow */
        LedgerRow: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            trace_id: string;
            span_id: string;
            /** @description Which row of its call, from 1 */
            line: number;
            agent_uuid: string | null;
            key_id: string | null;
            session_id: string | null;
            user_id: string | null;
            connection: string;
            provider: string;
            /** @description That ran for this row */
            model: string;
            dimension: string;
            quantity: number;
            iteration: number;
            nano_usd_per_million: string | null;
            factor: string;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            price: string | null;
        };
        /** LedgerSums */
        LedgerSums: {
            rows: number;
            /** @description Of calls that have a price for every part; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Rows of calls that are not in the sum */
            unpriced_rows: number;
        };
        /** LedgerVersion */
        LedgerVersion: {
            revision: string | null;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            rows: {
                line: number;
                cost_nano_usd: string | null;
                cost_usd: string | null;
                nano_usd_per_million: string | null;
                factor: string;
                price: string | null;
            }[];
        };
        /** LedgerVersionList */
        LedgerVersionList: {
            versions: components["schemas"]["LedgerVersion"][];
        };
        /** Limit */
        Limit: {
            /**
             * @description `api`: the platform API; `mcp`, `model` and `otlp`: the data plane; `anonymous`: public endpoints and failed authentication
             * @enum {string}
             */
            class: "api" | "anonymous" | "mcp" | "model" | "otlp";
            requests: number | null;
            window_s: number | null;
            /**
             * @description Whose requests are counted together
             * @enum {string}
             */
            per: "credential" | "address";
            /**
             * @description Who set it
             * @enum {string}
             */
            source: "default" | "operator" | "workspace";
        };
        /** LimitList */
        LimitList: {
            limits: components["schemas"]["Limit"][];
        };
        /** LinkStart */
        LinkStart: {
            url: string;
        };
        /** LinkedIdentity */
        LinkedIdentity: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            provider: string | null;
            issuer: string;
            email: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_used_at: string;
        };
        /** LiveSession */
        LiveSession: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            current: boolean;
            user_agent: string;
            address: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_used_at: string;
            expires_at: string | null;
        };
        /** LogList */
        LogList: {
            logs: components["schemas"]["LogRecord"][];
            next_cursor: string | null;
        };
        /** LogRecord */
        LogRecord: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            recorded_at: string;
            time_unix_nano: string | null;
            observed_time_unix_nano: string | null;
            trace_id: string | null;
            span_id: string | null;
            flags: number;
            /** @description 1 to 24 as in OpenTelemetry; 0: not said */
            severity_number: number;
            severity_text: string;
            event_name: string | null;
            body: unknown;
            attributes: {
                [key: string]: unknown;
            };
            dropped_attributes: number;
            service_name: string | null;
            resource: {
                [key: string]: unknown;
            };
            resource_schema_url: string;
            scope: components["schemas"]["LogScope"];
        };
        /** LogScope */
        LogScope: {
            name: string;
            version: string;
            attributes: {
                [key: string]: unknown;
            };
            schema_url: string;
        };
        /** MailLink */
        MailLink: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description E-mail address of the person that the link is for */
            to: string;
            /** @description What the link is for */
            subject: string;
            link: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** MailLinkList */
        MailLinkList: {
            mail_links: components["schemas"]["MailLink"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** MasterKey */
        MasterKey: {
            /** @description Tells master keys apart; nothing can be learned from it */
            key_id: string;
            /**
             * @description `master.key` of the data directory, or a setting
             * @enum {string}
             */
            source: "file" | "setting";
            rotation: components["schemas"]["MasterKeyRotation"] | null;
        };
        /** MasterKeyRotation */
        MasterKeyRotation: {
            /** @enum {string} */
            state: "running" | "done";
            /** @description Secrets sealed anew */
            done: number;
            /** @description Secrets that another key had sealed */
            total: number;
            error: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            finished_at: string | null;
        };
        /** McpQuestionRef */
        McpQuestionRef: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
        };
        /** McpServer */
        McpServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            /** @description Stable short name in paths and tool names */
            slug: string;
            description: string;
            endpoint_url: string;
            command: string | null;
            args: string[];
            /** @enum {string} */
            transport_type: "http" | "sse" | "stdio";
            /** @enum {string} */
            hosting_mode: "remote" | "hosted";
            /** @enum {string} */
            status: "active" | "inactive" | "deploying" | "error";
            /** @enum {string} */
            health_status: "unknown" | "healthy" | "degraded" | "unhealthy";
            health_error: string | null;
            tools_pending: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_health_check: string;
            /** @enum {string} */
            definition_policy: "allow" | "keep-approved" | "suspend";
            configuration: {
                [key: string]: unknown;
            };
            call_limits: {
                [key: string]: components["schemas"]["CallLimits"];
            };
            max_result_bytes: number | null;
            tool_prefix: string | null;
            tool_aliases: {
                [key: string]: string;
            };
            /** @description Names of the stored headers; their values are never returned */
            header_names: string[];
            /** @description Names of the stored variables of a program; their values are never returned */
            env_names: string[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            agent_access: components["schemas"]["AgentAccess"][];
        };
        /** McpServerList */
        McpServerList: {
            mcp_servers: components["schemas"]["McpServerSummary"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** McpServerSummary */
        McpServerSummary: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            /** @description Stable short name in paths and tool names */
            slug: string;
            description: string;
            endpoint_url: string;
            command: string | null;
            args: string[];
            /** @enum {string} */
            transport_type: "http" | "sse" | "stdio";
            /** @enum {string} */
            hosting_mode: "remote" | "hosted";
            /** @enum {string} */
            status: "active" | "inactive" | "deploying" | "error";
            /** @enum {string} */
            health_status: "unknown" | "healthy" | "degraded" | "unhealthy";
            health_error: string | null;
            tools_pending: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_health_check: string;
            /** @enum {string} */
            definition_policy: "allow" | "keep-approved" | "suspend";
            configuration: {
                [key: string]: unknown;
            };
            call_limits: {
                [key: string]: components["schemas"]["CallLimits"];
            };
            max_result_bytes: number | null;
            tool_prefix: string | null;
            tool_aliases: {
                [key: string]: string;
            };
            /** @description Names of the stored headers; their values are never returned */
            header_names: string[];
            /** @description Names of the stored variables of a program; their values are never returned */
            env_names: string[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            agent_access_count: number;
        };
        /** Me */
        Me: {
            user: components["schemas"]["User"];
            operator: boolean;
            workspace: components["schemas"]["WorkspaceSummary"];
            workspaces: components["schemas"]["WorkspaceSummary"][];
        };
        /** Member */
        Member: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            user_id: string;
            email: string;
            name: string;
            /** @description Whether the person has shown that the mailbox is theirs */
            verified: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            joined_at: string;
            /** @enum {string} */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
        };
        /** MemberList */
        MemberList: {
            members: components["schemas"]["Member"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** Metric */
        Metric: {
            name: string;
            /** @enum {string} */
            kind: "gauge" | "sum" | "histogram" | "exponential_histogram" | "summary";
            unit: string;
            description: string;
            /** @enum {string} */
            temporality: "unspecified" | "delta" | "cumulative";
            is_monotonic: boolean;
            /** @description Data points in the time range */
            points: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_at: string;
        };
        /** MetricList */
        MetricList: {
            metrics: components["schemas"]["Metric"][];
            next_cursor: string | null;
        };
        /** MetricPoints */
        MetricPoints: {
            metric: string;
            /** @enum {string} */
            kind: "gauge" | "sum" | "histogram" | "exponential_histogram" | "summary";
            unit: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            interval_ms: number;
            series: components["schemas"]["MetricSeries"][];
        };
        /** MetricSeries */
        MetricSeries: {
            /** @description The values of `group_by`; `` where a point has none */
            group: {
                [key: string]: string;
            };
            /** @description Intervals without data are absent */
            points: components["schemas"]["MetricValue"][];
        };
        /** MetricValue */
        MetricValue: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            value: number;
        };
        /** ModelAccess */
        ModelAccess: {
            /** @enum {string} */
            mode: "all" | "selected";
            /** @description With mode `selected`; with `all` absent */
            connections?: {
                /** @description The connection's name in the proxy path */
                name: string;
                /** @description Names of models; `*` stands for any characters */
                models: string[];
            }[];
        };
        /** ModelFigures */
        ModelFigures: {
            provider: string | null;
            model: string | null;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** ModelLimit */
        ModelLimit: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * @description Whose calls are counted together
             * @enum {string}
             */
            scope: "workspace" | "agent" | "key" | "connection";
            scope_id: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            requests_per_minute: number | null;
            tokens_per_minute: number | null;
            concurrency: number | null;
            enabled: boolean;
        };
        /** ModelLimitList */
        ModelLimitList: {
            model_limits: components["schemas"]["ModelLimit"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ModelRoute */
        ModelRoute: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description In `/proxy/{name}/…`, like the name of a connection; none may have it */
            name: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            /**
             * @description Which target is asked first: the first one, one by chance according to the weights, or the one that answers soonest. The others follow when it fails
             * @enum {string}
             */
            strategy: "ordered" | "weighted" | "least_latency";
            /** @description How often one target is asked again */
            retries: number;
            first_token_timeout_ms: number | null;
            idle_timeout_ms: number | null;
            total_timeout_ms: number | null;
            targets: components["schemas"]["RouteTarget"][];
            /** @description What is stored, but does nothing as things are now: names that nothing has, say. Empty when all is well */
            warnings: string[];
        };
        /** ModelRouteList */
        ModelRouteList: {
            routes: components["schemas"]["ModelRoute"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** NewHook */
        NewHook: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @enum {string} */
            action: "deny" | "redact" | "webhook";
            old_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            enabled: boolean;
            /**
             * @description `dry_run` records what it would have done and changes nothing
             * @enum {string}
             */
            mode: "dry_run" | "enforce";
            /** @description `request`: what goes to the provider; `response`: an answer that is whole JSON; `stream`: an answer in events, which `redact` cannot change */
            stages: ("request" | "response" | "stream")[];
            /** @description Names of connections and routes; `*` stands for any characters */
            connections: string[];
            /** @description Names of models, as they are asked for; a call whose model cannot be told is one of all; `*` stands for any characters */
            models: string[];
            /** @description Names or ids of agents; calls without an agent need `*`; `*` stands for any characters */
            agents: string[];
            /** @description How long a webhook may take for one answer */
            timeout_ms: number;
            /**
             * @description What becomes of a call when the hook cannot tell: a webhook without an answer, an answer that is no readable JSON. `open`: it goes on; `closed`: it is refused. A request that cannot be read is refused by every hook that enforces
             * @enum {string}
             */
            fail_mode: "open" | "closed";
            pattern: string | null;
            label: string;
            url: string | null;
            /** @description The signing secret of its webhook (`whsec_…`), shown only here */
            secret?: string;
        };
        /** NewIngestToken */
        NewIngestToken: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description First characters of the secret */
            prefix: string;
            last4: string;
            /** @enum {string} */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            rotation: components["schemas"]["Rotation"] | null;
            name: string;
            expires_at: string | null;
            allowed_addresses: string[] | null;
            /** @description The secret, shown only here */
            token: string;
        };
        /** NewInvitation */
        NewInvitation: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            email: string;
            /** @enum {string} */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
            invited_by: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
            /** @description Whether the link was sent to the address */
            mailed: boolean;
            /** @description Only without a mail server: pass it on yourself, it is not shown again */
            link?: string;
        };
        /** NewKey */
        NewKey: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description First characters of the secret */
            prefix: string;
            last4: string;
            /** @enum {string} */
            status: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            rotation: components["schemas"]["Rotation"] | null;
            name: string;
            expires_at: string | null;
            allowed_addresses: string[] | null;
            scopes: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "forwarders:read" | "forwarders:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "programs:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
            agent_uuid: string | null;
            /**
             * @description When the client of a model call goes away: `abort` ends the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to its end
             * @enum {string}
             */
            on_disconnect: "abort" | "drain" | "detach";
            /** @description The secret, shown only here */
            key: string;
        };
        /** NewSessionShare */
        NewSessionShare: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            session_id: string;
            /** @description Whether the link shows what was said too */
            messages: boolean;
            /** @description The e-mail address of who made it */
            created_by: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
            /** @description Its secret of 256 random bits stands behind the `#` */
            url: string;
        };
        /** NewWebhook */
        NewWebhook: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            disabled_reason: string | null;
            failing_since: string | null;
            old_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            url: string;
            description: string;
            events: string[];
            enabled: boolean;
            /** @description The signing secret (`whsec_…`), shown only here */
            secret: string;
        };
        /** OauthClient */
        OauthClient: {
            /** @description As the client names itself: an address, or what registration gave it */
            id: string;
            /** @description As the client says; nobody has checked it */
            name: string;
            uri: string | null;
            verified_host: string | null;
        };
        /** Operator */
        Operator: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            email: string;
            name: string;
        };
        /** OperatorList */
        OperatorList: {
            operators: components["schemas"]["Operator"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** OverlappingTool */
        OverlappingTool: {
            server: components["schemas"]["McpQuestionRef"];
            tool: string;
            /** @description Tool calls, each counted once */
            calls: number;
        };
        /** Pagination */
        Pagination: {
            page: number;
            limit: number;
            total: number;
            total_pages: number;
        };
        /** PendingDefinition */
        PendingDefinition: {
            server: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                id: string;
                name: string;
            };
            name: string;
            /**
             * @description `open`: agents are shown the present definition; `kept`: the approved one; `suspended`: the tool is in no list and its calls are refused
             * @enum {string}
             */
            state: "open" | "kept" | "suspended";
            reason: ("changed" | "incompatible" | "new" | "hidden_text" | "rejected") | null;
            renamed_from: string | null;
            /** @description SHA-256 over the canonical definition */
            hash: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            since: string;
        };
        /** PendingDefinitionList */
        PendingDefinitionList: {
            pending: components["schemas"]["PendingDefinition"][];
        };
        /** PersonOfClient */
        PersonOfClient: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            email: string;
        };
        /** PinnedTool */
        PinnedTool: {
            name: string;
            /**
             * @description `open`: agents are shown the present definition; `kept`: the approved one; `suspended`: the tool is in no list and its calls are refused
             * @enum {string}
             */
            state: "open" | "kept" | "suspended";
            reason: ("changed" | "incompatible" | "new" | "hidden_text" | "rejected") | null;
            detail: string | null;
            renamed_from: string | null;
            /** @description Whether it waits for a decision */
            pending: boolean;
            current_hash: string | null;
            approved_hash: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            since: string;
            decided_at: string | null;
            decided_by: string | null;
            definition_tokens: number | null;
            /** @description Of the present definition */
            flags: components["schemas"]["DefinitionFlag"][];
        };
        /** Price */
        Price: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            connection: string | null;
            provider: string | null;
            /**
             * @description As the provider names it; `*` stands for any text
             * @example gpt-5*
             */
            model: string;
            rates: components["schemas"]["PriceRates"];
            factor: string | null;
            note: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            effective_from: string;
            effective_until: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
        };
        /** PriceList */
        PriceList: {
            prices: components["schemas"]["Price"][];
            table: components["schemas"]["PriceTable"];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * PriceRates
         * @description By dimension; a dimension that is absent keeps the price of the table
         */
        PriceRates: {
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            in_text?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            in_audio?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            in_image?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            in_video?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_read?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_read_audio?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_read_image?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_write_5m?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_write_30m?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_write_1h?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_write_12h?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            tool_prompt?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_text?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_reasoning?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_audio?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_image?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_video?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            out_citation?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            pred_rejected?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            request?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            web_search?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            web_fetch?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            grounding_query?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            file_search?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            code_exec_s?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            image_count?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            audio_s?: string;
            /**
             * @description Integer nano-dollars for 1,000,000 units; 1 dollar for a million tokens is 1000000000
             * @example 1250000000
             */
            cache_storage_token_hours?: string;
        };
        /** PriceTable */
        PriceTable: {
            source: string;
            version: string;
        };
        /**
         * Problem
         * @description RFC 9457. `code` is stable; `/docs/errors` says what to do about each.
         */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "workspace_mismatch" | "invalid_request" | "invalid_json" | "invalid_host" | "invalid_path" | "ambiguous_credentials" | "not_found" | "method_not_allowed" | "body_too_large" | "unsupported_media_type" | "question_too_large" | "upgrade_required" | "headers_too_large" | "unauthenticated" | "wrong_credentials" | "session_ended" | "forbidden" | "setup_required" | "setup_link_invalid" | "password_login_off" | "mail_link_invalid" | "signup_closed" | "invitation_invalid" | "sharing_off" | "share_invalid" | "invitation_for_another" | "authorization_invalid" | "agent_required" | "agent_not_active" | "model_not_granted" | "hook_denied" | "tool_not_granted" | "stdio_not_allowed" | "call_cut" | "path_not_allowed" | "provider_key_missing" | "address_not_allowed" | "blocked_address" | "budget_exhausted" | "model_unpriced" | "conflict" | "last_way_in" | "last_owner" | "last_workspace" | "last_operator" | "set_by_environment" | "sign_in_required" | "name_taken" | "idempotency_in_progress" | "idempotency_answer_lost" | "approval_decided" | "derived_grant" | "suggestion_outdated" | "grant_changed" | "grants_exist" | "precondition_failed" | "no_password" | "weak_password" | "idempotency_mismatch" | "wrong_password" | "too_many_requests" | "rate_limited" | "model_calls_limited" | "internal" | "upstream_unreachable" | "upstream_timeout" | "hook_failed" | "recorder_full" | "stale_permissions" | "disk_full" | "store_unavailable" | "overloaded" | "shutting_down";
            request_id: string;
            errors?: {
                pointer: string;
                code: string;
                detail: string;
            }[];
        };
        /** Program */
        Program: {
            /**
             * @description `stopped`: it starts with the next request. `waiting`: it ended again and again
             * @enum {string}
             */
            state: "stopped" | "running" | "waiting";
            processes: {
                pid: number | null;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-11-21T08:30:00.000Z
                 */
                started_at: string;
                sessions: number;
                /** @description Whether clients that cannot be asked back share it */
                shared: boolean;
            }[];
            /** @description Since this instance started */
            starts: number;
            /** @description Unwanted ends in a row */
            failures: number;
            last_end: string | null;
            next_start_at: string | null;
            /** @enum {string} */
            sandbox: "bubblewrap" | "none";
            sandbox_missing: string | null;
            package: components["schemas"]["ProgramPackage"] | null;
            install_error: string | null;
            limits: components["schemas"]["ProgramLimits"];
            /** @description Of all that is accepted: command, arguments, environment with its values, folders, package with its version and dependencies */
            fingerprint: string;
            /** @description What somebody writes to let the program start as it is now: in its sandbox, or where there is none, without one */
            acceptance_sentence: string;
            accepted: components["schemas"]["ProgramAcceptance"] | null;
            accepted_without_sandbox: components["schemas"]["ProgramAcceptance"] | null;
            /** @description Hosts that the program may reach from its sandbox: `api.example.com`, `*.example.com`; ports 80 and 443 unless `:port` names another. None by default */
            allowed_hosts: string[];
        };
        /**
         * ProgramAcceptance
         * @description Who accepted the program as it is now, without which it does not start; `accepted_without_sandbox` where an owner accepted that it runs without a sandbox too
         */
        ProgramAcceptance: {
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            at: string;
        };
        /** ProgramLimits */
        ProgramLimits: {
            /** @description Of the program with all its children */
            memory_bytes: number;
            /** @description Processes and threads */
            processes: number;
            /** @description So long without a request, and it is ended */
            idle_ms: number;
        };
        /** ProgramLogs */
        ProgramLogs: {
            lines: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-11-21T08:30:00.000Z
                 */
                at: string;
                /**
                 * @description `stdout`: what was no message. `signalbox`: what we did with it
                 * @enum {string}
                 */
                stream: "stderr" | "stdout" | "signalbox";
                text: string;
            }[];
        };
        /** ProgramPackage */
        ProgramPackage: {
            name: string;
            version: string;
            integrity: string;
        };
        /** PromptFigures */
        PromptFigures: {
            server: {
                id: string | null;
                name: string | null;
            };
            prompt: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** ProposedGrant */
        ProposedGrant: {
            /** @enum {string} */
            op: "create" | "update";
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server_id: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            agent_uuid: string;
            /** @enum {string} */
            access_mode?: "all" | "selected";
            allowed_tools?: string[] | null;
            allowed_prompts?: string[] | null;
            allowed_resources?: string[] | null;
            enabled?: boolean;
            expires_at?: string | null;
            /** @description Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy. What is allowed in it: docs/access.md */
            constraints?: {
                [key: string]: unknown;
            };
            /** @description Tool → `ask`: a call needs the approval of a person */
            approval?: {
                [key: string]: "ask";
            };
            /**
             * @description Whose approval counts: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent, asked by their client
             * @enum {string}
             */
            approver?: "workspace" | "caller";
            approval_wait_ms?: number | null;
            /** @description Tools that are denied by their annotations, also where the grant names them: `destructiveHint`: all but those that say they are read-only or not destructive; `openWorldHint`: all but those that say they stay within a closed world. Annotations are the server's own word, and nobody checks them */
            denied_hints?: ("destructiveHint" | "openWorldHint")[];
            /** @description Tool, or `*` for all tools of the server together → limits of the calls of this agent */
            call_limits?: {
                [key: string]: components["schemas"]["CallLimits"];
            };
        };
        /** ProposedRemoval */
        ProposedRemoval: {
            /** @enum {string} */
            op: "delete";
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server_id: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            agent_uuid: string;
        };
        /** ProposedToolset */
        ProposedToolset: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            toolset_id: string;
            tools?: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                server_id: string;
                /** @description Names of tools; `*` is replaced at once by the tools that the server has now */
                tools: string[] | "*";
            }[];
            groups?: string[];
        };
        /** ProviderKey */
        ProviderKey: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @description The connection's name in `/proxy/{name}/…` */
            name: string;
            /** @enum {string} */
            provider: "openai" | "anthropic" | "openai_compatible" | "gemini" | "azure_openai" | "vertex" | "bedrock";
            base_url: string;
            /** @description Whether what calls carry is kept, redacted */
            record_bodies: boolean;
            /** @description Whether streams of chat completions whose client does not ask for usage are asked for it; the chunk that answers is taken out */
            inject_usage: boolean;
            last4: string | null;
            /** @enum {string} */
            status: "active" | "secret_missing";
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
        };
        /** ProviderKeyList */
        ProviderKeyList: {
            provider_keys: components["schemas"]["ProviderKey"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ProviderKeyTest */
        ProviderKeyTest: {
            ok: boolean;
            status: number | null;
            latency_ms: number;
            /** @description What it means; never a part of the key */
            detail: string;
        };
        /** Question */
        Question: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            /**
             * @description Which of Spotlight’s reads: `GET /v1/spotlight/{read}`
             * @enum {string}
             */
            read: "overview" | "timeseries" | "tools" | "resources" | "prompts" | "servers" | "agents" | "models" | "users" | "clients" | "sessions" | "errors";
            /**
             * @description How far back from the moment it is asked
             * @enum {string}
             */
            range: "15m" | "1h" | "6h" | "24h" | "7d" | "30d";
            filter: components["schemas"]["QuestionFilter"];
            /** @description Also the range before; for `overview` */
            compare: boolean;
            /**
             * @description Of lists: the largest first
             * @enum {string}
             */
            sort: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
        };
        /** QuestionAnswer */
        QuestionAnswer: {
            question: components["schemas"]["Question"];
            answer: components["schemas"]["SpotlightOverview"] | components["schemas"]["Timeseries"] | components["schemas"]["SpotlightTools"] | components["schemas"]["SpotlightResources"] | components["schemas"]["SpotlightPrompts"] | components["schemas"]["SpotlightServers"] | components["schemas"]["SpotlightAgents"] | components["schemas"]["SpotlightModels"] | components["schemas"]["SpotlightUsers"] | components["schemas"]["SpotlightClients"] | components["schemas"]["SpotlightSessions"] | components["schemas"]["SpotlightErrors"];
        };
        /** QuestionFilter */
        QuestionFilter: {
            /**
             * @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts
             * @enum {string}
             */
            kind?: "tool_call" | "model_call" | "mcp";
            /**
             * @description Only calls that ended so
             * @enum {string}
             */
            status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            agent?: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server?: string;
            /** @description Only calls of this tool, by the server's own name */
            tool?: string;
            /** @description Only calls of models of this provider */
            provider?: string;
            /** @description Only calls of this model, as it was served */
            model?: string;
            /** @description Only calls over this connection */
            connection?: string;
            /** @description Only calls for this person, as the client names them */
            user?: string;
            /** @description Only calls of this session */
            session?: string;
            /** @description Only calls of this client program, `name/version` */
            client?: string;
            /** @description Only calls that failed in this way */
            error_type?: string;
            /** @description Only requests about this resource of an MCP server, by its URI */
            resource?: string;
            /** @description Only requests about this prompt of an MCP server, by its name */
            prompt?: string;
            /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
            filter?: string[];
        };
        /** QuestionList */
        QuestionList: {
            questions: components["schemas"]["Question"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** Readiness */
        Readiness: {
            status: string;
            checks?: {
                [key: string]: string;
            };
        };
        /** RecordedAgent */
        RecordedAgent: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            uuid: string;
            name: string | null;
        };
        /** RecordedServer */
        RecordedServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string | null;
        };
        /**
         * RecorderState
         * @description Of all processes of this node, since the first start of their logs
         */
        RecorderState: {
            node_url: string | null;
            /** @description Rows of all workspaces that were acknowledged: stored, pending, set aside and damaged */
            acknowledged_rows: number;
            /** @description In the telemetry store */
            stored_rows: number;
            /** @description In the log, on their way to the store */
            pending_rows: number;
            /** @description Set aside because the store refuses them */
            quarantined_rows: number;
            /** @description Lost: in records of the log that failed their checksum */
            damaged_rows: number;
            /** @description Announced calls without an outcome */
            open_calls: number;
            log_bytes: number;
            log_max_bytes: number;
            disk_free_bytes: number | null;
            disk_reserve_bytes: number | null;
            /** @description Age of the oldest row that is in the log alone */
            oldest_pending_ms: number;
            /** @description How long the last flush of the log took */
            last_flush_ms: number;
            write_failure: string | null;
            ship_failure: string | null;
            /** @description The longest stall of the last minutes */
            event_loop_stall_ms: number;
            accepted: components["schemas"]["CountBySignal"];
            repeated: components["schemas"]["CountBySignal"];
            /** @description Items that cannot be kept, as their senders were told, since the start of the program */
            dropped: components["schemas"]["DroppedItems"][];
            /** @description Requests that were refused whole, since the start of the program */
            refused: components["schemas"]["RefusedRequests"][];
        };
        /** RedactionRule */
        RedactionRule: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
            pattern: string;
            label: string;
            applies_to: ("content" | "attributes" | "log_bodies" | "all")[];
            attribute_keys: string[];
            ingest_token_id: string | null;
        };
        /** RedactionRuleList */
        RedactionRuleList: {
            redaction_rules: components["schemas"]["RedactionRule"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** RedactionTrial */
        RedactionTrial: {
            /** @description What would be kept */
            text: string;
            /** @description Labels of rules and names of built-in detectors */
            found: string[];
        };
        /** RefusedRequests */
        RefusedRequests: {
            /** @description Code of the problem */
            reason: string;
            requests: number;
        };
        /**
         * ReleaseBefore
         * @description The release that was called before this one
         */
        ReleaseBefore: {
            /** @description As the server names it */
            version: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
        };
        /** ReleasedServer */
        ReleasedServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
        };
        /** Renormalisation */
        Renormalisation: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            dialect: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "done";
            /** @description Spans that were mapped anew so far */
            spans: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            finished_at: string | null;
        };
        /** RenormalisationList */
        RenormalisationList: {
            renormalisations: components["schemas"]["Renormalisation"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** Repricing */
        Repricing: {
            revision: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            /** @description That have rows in the ledger */
            calls: number;
            /** @description Whose price is another one */
            changed: number;
            /** @description Of calls that have a price for every part; integer nano-dollars */
            cost_before_nano_usd: string;
            /** @description `cost_before_nano_usd` as decimal text */
            cost_before_usd: string;
            /** @description Of calls that have a price for every part; integer nano-dollars */
            cost_after_nano_usd: string;
            /** @description `cost_after_nano_usd` as decimal text */
            cost_after_usd: string;
            /** @description Calls that are not in the sum */
            unpriced_before: number;
            unpriced_after: number;
            /** @description By model, the greatest number of changed calls first */
            models: {
                provider: string;
                model: string;
                /** @description That have rows in the ledger */
                calls: number;
                /** @description Whose price is another one */
                changed: number;
                /** @description Of calls that have a price for every part; integer nano-dollars */
                cost_before_nano_usd: string;
                /** @description `cost_before_nano_usd` as decimal text */
                cost_before_usd: string;
                /** @description Of calls that have a price for every part; integer nano-dollars */
                cost_after_nano_usd: string;
                /** @description `cost_after_nano_usd` as decimal text */
                cost_after_usd: string;
                /** @description Calls that are not in the sum */
                unpriced_before: number;
                unpriced_after: number;
            }[];
        };
        /** RequestedServer */
        RequestedServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            slug: string;
        };
        /** Requester */
        Requester: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
        };
        /** RequestingAgent */
        RequestingAgent: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            uuid: string;
            name: string;
        };
        /** ResourceFigures */
        ResourceFigures: {
            server: {
                id: string | null;
                name: string | null;
            };
            /** @description Its URI; `` where the span has none */
            resource: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** Retention */
        Retention: {
            traces_days: (1 | 7 | 30 | 90 | 365) | null;
            logs_days: (1 | 7 | 30 | 90 | 365) | null;
            metrics_days: (1 | 7 | 30 | 90 | 365) | null;
            /** @description `SIGNALBOX_RETENTION_DAYS` */
            instance_days: number;
        };
        /** RetryLoop */
        RetryLoop: {
            agent: components["schemas"]["McpQuestionRef"];
            server: components["schemas"]["McpQuestionRef"];
            tool: string;
            /** @description Tool calls, each counted once */
            calls: number;
            errors: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            ended_at: string;
            /** @description Time that the calls took together */
            in_calls_ms: number;
            /** @description Model calls of the agent meanwhile */
            model_calls: number;
            /** @description Of those that are priced; integer nano-dollars */
            model_cost_nano_usd: string;
            /** @description `model_cost_nano_usd` as decimal text */
            model_cost_usd: string;
            last_status: string;
            /** @description Of the last call */
            trace_id: string;
        };
        /** RetryLoops */
        RetryLoops: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            retry_loops: components["schemas"]["RetryLoop"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** Rotation */
        Rotation: {
            /**
             * @description pending: a new secret waits for its first use, the present one works on. grace: the new one was used, the one before still works until `old_expires_at`
             * @enum {string}
             */
            state: "pending" | "grace";
            /** @description Of the new secret while pending, of the old one in its grace */
            prefix: string;
            last4: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            old_expires_at: string | null;
        };
        /** RouteTarget */
        RouteTarget: {
            /** @description The name of a connection */
            connection: string;
            model: string | null;
            /** @description Its share, with `weighted` */
            weight: number;
            /** @description The models of callers that it is for; `*` stands for any characters */
            for_models: string[];
        };
        /** Score */
        Score: {
            id: string;
            name: string;
            /** @enum {string} */
            type: "numeric" | "boolean" | "category" | "comment";
            /** @description A number, yes or no, a category, or null: a comment alone */
            value: number | boolean | string | null;
            comment: string;
            /** @description Null where the sender does not say */
            source: ("person" | "model" | "code" | "end_user") | null;
            trace_id: string | null;
            span_id: string | null;
            session_id: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
        };
        /** ScoreFigures */
        ScoreFigures: {
            name: string;
            scores: number;
            average: number | null;
            min: number | null;
            max: number | null;
            median: number | null;
            /** @description Categories, and `true` and `false`; the most frequent 50 */
            labels: components["schemas"]["ScoreLabel"][];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_scored_at: string;
        };
        /** ScoreLabel */
        ScoreLabel: {
            label: string;
            scores: number;
        };
        /** ScoreList */
        ScoreList: {
            scores: components["schemas"]["Score"][];
            next_cursor: string | null;
        };
        /** SelectedTool */
        SelectedTool: {
            agent: components["schemas"]["McpQuestionRef"];
            server: components["schemas"]["McpQuestionRef"] | null;
            tool: string;
            listed: boolean;
            /** @description Model calls whose request held the definition */
            offered: number;
            /** @description How often a model asked for the tool */
            chosen: number;
            choice_rate: number | null;
            /** @description Tool calls, each counted once */
            calls: number;
            errors: number;
            last_called_at: string | null;
        };
        /** ServerFigures */
        ServerFigures: {
            server: {
                id: string | null;
                name: string | null;
            };
            /** @description False: seen in telemetry only, named by its spans or their service */
            registered: boolean;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** ServerRelease */
        ServerRelease: {
            server: components["schemas"]["ReleasedServer"];
            /** @description As the server names it */
            version: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            before: components["schemas"]["ReleaseBefore"] | null;
        };
        /** ServerReleaseList */
        ServerReleaseList: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            releases: components["schemas"]["ServerRelease"][];
        };
        /** ServerSummary */
        ServerSummary: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            slug: string;
        };
        /**
         * ServiceAccount
         * @description The JSON of a service account key, whole or without what is not used
         */
        ServiceAccount: {
            client_email: string;
            /** @description PEM */
            private_key: string;
            private_key_id?: string;
            /** @description The provider's public API when absent; needed for openai_compatible and azure_openai */
            token_uri?: string;
        };
        /** Session */
        Session: {
            /** @description Access token for one workspace (JWT, 1 h); absent when it was set as a cookie */
            token?: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
            /** @description Opaque, single use, 30 d; absent when it was set as a cookie */
            refresh_token?: string;
            user: components["schemas"]["User"];
            workspaces: components["schemas"]["WorkspaceSummary"][];
        };
        /** SessionCall */
        SessionCall: {
            trace_id: string;
            span_id: string;
            server: {
                id: string | null;
                name: string | null;
            };
            /** @description How many model calls began until then: a tool call belongs to the model call with the same number */
            turn: number;
            /** @enum {string} */
            kind: "tool_call" | "model_call";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            duration_ms: number | null;
            gap_ms: number | null;
            status: string;
            error_type: string | null;
            status_message: string;
            tool: string | null;
            provider: string | null;
            model: string | null;
            tokens: components["schemas"]["TokenSums"] | null;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            /** @description Of the priced calls that began until then; integer nano-dollars */
            cost_so_far_nano_usd: string;
            /** @description `cost_so_far_nano_usd` as decimal text */
            cost_so_far_usd: string;
            messages: components["schemas"]["SessionMessage"][] | null;
        };
        /** SessionFigures */
        SessionFigures: {
            session_id: string;
            /** @description True: no client named it; see docs/spotlight.md */
            is_derived: boolean;
            agent: {
                id: string | null;
                name: string | null;
            };
            user_id: string | null;
            client: string | null;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** SessionMessage */
        SessionMessage: {
            /**
             * @description `answer` is what the model said; a tool call has `arguments` and `result`
             * @enum {string}
             */
            kind: "system" | "message" | "answer" | "arguments" | "result";
            role: string | null;
            /** @description JSON as it was sent, redacted */
            text: string;
            /** @description Whether the text is cut after 20,000 characters */
            cut: boolean;
        };
        /** SessionShare */
        SessionShare: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            session_id: string;
            /** @description Whether the link shows what was said too */
            messages: boolean;
            /** @description The e-mail address of who made it */
            created_by: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
        };
        /** SessionShareList */
        SessionShareList: {
            shares: components["schemas"]["SessionShare"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** Settings */
        Settings: {
            signup: {
                /**
                 * @description Who may register: everybody, the invited, or nobody. By default open on loopback, else invite
                 * @enum {string}
                 */
                value: "open" | "invite" | "closed";
                /**
                 * @description `environment`: set by a variable of the program, and read-only here
                 * @enum {string}
                 */
                source: "default" | "environment" | "stored";
            };
            loopback_targets: {
                /** @description Whether upstreams may live on this machine. By default only where the instance is not exposed */
                value: boolean;
                /**
                 * @description `environment`: set by a variable of the program, and read-only here
                 * @enum {string}
                 */
                source: "default" | "environment" | "stored";
            };
            private_networks: {
                /** @description Networks (CIDR) that are not public and that upstreams may live in all the same */
                value: string[];
                /**
                 * @description `environment`: set by a variable of the program, and read-only here
                 * @enum {string}
                 */
                source: "default" | "environment" | "stored";
            };
            stdio_programs: {
                /** @description Whether stdio programs may be registered at all. By default only where the instance is not exposed */
                value: boolean;
                /**
                 * @description `environment`: set by a variable of the program, and read-only here
                 * @enum {string}
                 */
                source: "default" | "environment" | "stored";
            };
            stdio_programs_default: {
                /** @description Whether a new workspace gets the right to stdio programs */
                value: boolean;
                /**
                 * @description `environment`: set by a variable of the program, and read-only here
                 * @enum {string}
                 */
                source: "default" | "environment" | "stored";
            };
        };
        /** ShareOfInput */
        ShareOfInput: {
            /** @description Of the input, cached or not */
            tokens: number;
            /** @description Of these tokens, at what each was billed: read from the cache, written to it, or neither; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
        };
        /**
         * ShareOfRest
         * @description System texts and all messages but results
         */
        ShareOfRest: {
            /** @description Of the input, cached or not */
            tokens: number;
            /** @description Of these tokens, at what each was billed: read from the cache, written to it, or neither; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
        };
        /** ShareOfResults */
        ShareOfResults: {
            /** @description Of the input, cached or not */
            tokens: number;
            /** @description Of these tokens, at what each was billed: read from the cache, written to it, or neither; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Results in requests; one counts in every request that has it */
            carried: number;
        };
        /** SharedCall */
        SharedCall: {
            server: {
                name: string | null;
            };
            /** @description How many model calls began until then: a tool call belongs to the model call with the same number */
            turn: number;
            /** @enum {string} */
            kind: "tool_call" | "model_call";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            duration_ms: number | null;
            gap_ms: number | null;
            status: string;
            error_type: string | null;
            status_message: string;
            tool: string | null;
            provider: string | null;
            model: string | null;
            tokens: components["schemas"]["TokenSums"] | null;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            /** @description Of the priced calls that began until then; integer nano-dollars */
            cost_so_far_nano_usd: string;
            /** @description `cost_so_far_nano_usd` as decimal text */
            cost_so_far_usd: string;
            messages: components["schemas"]["SessionMessage"][] | null;
        };
        /** SharedSession */
        SharedSession: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            ended_at: string;
            calls: components["schemas"]["SharedCall"][];
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            /**
             * @description Whether messages are there: `not_allowed` to a key without the scope `telemetry:read`, `not_recorded` where no call of this page has any
             * @enum {string}
             */
            conversation: "recorded" | "not_recorded" | "not_allowed" | "not_shared";
            next_cursor: string | null;
        };
        /** SharingSetting */
        SharingSetting: {
            /** @description Whether sessions may be shared by links; while false no link opens */
            enabled: boolean;
        };
        /** SignInMethods */
        SignInMethods: {
            /** @description Whether people may sign in by password */
            password: boolean;
            providers: components["schemas"]["SignInProvider"][];
            /** @enum {string} */
            signup: "open" | "invite" | "closed";
            setup_required: boolean;
        };
        /** SignInProvider */
        SignInProvider: {
            id: string;
            label: string;
        };
        /** SigningKey */
        SigningKey: {
            /** @description `kid` of the tokens that it signs */
            id: string;
            /**
             * @description next: known everywhere in a moment, then signs. verifying: until its last token has expired
             * @enum {string}
             */
            status: "next" | "signing" | "verifying";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
        };
        /** SigningKeyList */
        SigningKeyList: {
            signing_keys: components["schemas"]["SigningKey"][];
        };
        /** SimulatedGroup */
        SimulatedGroup: {
            /** @enum {string} */
            change: "newly_denied" | "newly_allowed" | "unknown";
            agent: components["schemas"]["RecordedAgent"];
            server: components["schemas"]["RecordedServer"];
            tool: string;
            calls: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_at: string;
            /** @enum {string} */
            reason_before: "granted_all" | "granted_selected" | "granted_constrained" | "granted_on_approval" | "agent_unknown" | "agent_not_active" | "server_unknown" | "server_inactive" | "no_grant" | "grant_expired" | "grant_disabled" | "tool_not_selected" | "denied_by_hint" | "prompt_not_selected" | "resource_not_selected" | "arguments_refused" | "approval_required" | "definition_changed" | "undecidable";
            /** @enum {string} */
            reason_after: "granted_all" | "granted_selected" | "granted_constrained" | "granted_on_approval" | "agent_unknown" | "agent_not_active" | "server_unknown" | "server_inactive" | "no_grant" | "grant_expired" | "grant_disabled" | "tool_not_selected" | "denied_by_hint" | "prompt_not_selected" | "resource_not_selected" | "arguments_refused" | "approval_required" | "definition_changed" | "undecidable";
            /** @description The newest, at most 3 */
            sample_trace_ids: string[];
        };
        /** Simulation */
        Simulation: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            totals: components["schemas"]["SimulationTotals"];
            /** @description Most calls first */
            groups: components["schemas"]["SimulatedGroup"][];
            /** @description Whether there are groups beyond the first 1,000; totals count all */
            truncated: boolean;
        };
        /** SimulationTotals */
        SimulationTotals: {
            calls: number;
            newly_denied: number;
            newly_allowed: number;
            unknown: number;
            unchanged: number;
            /** @description Of those unchanged: refused calls of which no server can be told */
            without_server: number;
        };
        /** Span */
        Span: {
            trace_id: string;
            span_id: string;
            parent_span_id: string | null;
            name: string;
            /** @enum {string} */
            source: "otlp" | "gateway" | "model_proxy";
            /** @enum {string} */
            kind: "tool_call" | "mcp" | "model_call" | "other";
            /**
             * @description `ok`: It succeeded. `error`: It failed. `denied`: It was refused before anything of it was sent. `cut`: It was cut after it was sent, and may have taken effect. `interrupted`: It has no outcome: its client left, or the program ended. `unset`: Its sender did not say how it ended.
             * @enum {string}
             */
            status: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
            status_message: string;
            error_type: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            start_time_unix_nano: string;
            duration_ms: number;
            duration_nano: string;
            service_name: string | null;
            agent: components["schemas"]["SpanAgent"] | null;
            agent_name: string | null;
            server: components["schemas"]["SpanServer"] | null;
            server_name: string | null;
            tool: string | null;
            mcp_method: string | null;
            session_id: string | null;
            user_id: string | null;
            client: string | null;
            connection: string | null;
            provider: string | null;
            model_requested: string | null;
            model: string | null;
            tokens: components["schemas"]["Tokens"];
            usage_source: ("reported" | "estimated" | "missing") | null;
            cost_nano_usd: string | null;
            cost_usd: string | null;
            cost_source: ("computed" | "reported") | null;
            ledger: components["schemas"]["LedgerEntry"][];
            time_to_first_token_ms: number | null;
            http_status: number | null;
            dialect: string | null;
            mapper_version: number | null;
            request_bytes: number;
            response_bytes: number;
            attributes: {
                [key: string]: unknown;
            };
            resource: {
                [key: string]: unknown;
            };
            events: unknown[];
            links: unknown[];
            /**
             * @description OpenTelemetry's kind of span
             * @enum {string}
             */
            span_kind: "unspecified" | "internal" | "server" | "client" | "producer" | "consumer";
            trace_state: string;
            flags: number;
            scope: components["schemas"]["SpanScope"];
            resource_schema_url: string;
            dropped: components["schemas"]["DroppedParts"];
        };
        /** SpanAgent */
        SpanAgent: {
            uuid: string;
            name: string;
        };
        /** SpanList */
        SpanList: {
            spans: components["schemas"]["Span"][];
            next_cursor: string | null;
        };
        /** SpanScope */
        SpanScope: {
            name: string;
            version: string;
            schema_url: string;
        };
        /** SpanServer */
        SpanServer: {
            id: string;
            name: string;
        };
        /** SpotlightAgents */
        SpotlightAgents: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            agents: components["schemas"]["AgentFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightClients */
        SpotlightClients: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            clients: components["schemas"]["ClientFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightErrors */
        SpotlightErrors: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            errors: components["schemas"]["ErrorFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightModels */
        SpotlightModels: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            models: components["schemas"]["ModelFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightOverview */
        SpotlightOverview: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            previous?: components["schemas"]["CallFigures"];
            groups?: components["schemas"]["UsageFigures"][];
        };
        /** SpotlightPrompts */
        SpotlightPrompts: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            prompts: components["schemas"]["PromptFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightResources */
        SpotlightResources: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            resources: components["schemas"]["ResourceFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightScores */
        SpotlightScores: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            scores: components["schemas"]["ScoreFigures"][];
        };
        /** SpotlightServers */
        SpotlightServers: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            servers: components["schemas"]["ServerFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightSession */
        SpotlightSession: {
            session_id: string;
            /** @description True: no client named it */
            is_derived: boolean;
            agent: {
                id: string | null;
                name: string | null;
            };
            user_id: string | null;
            client: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            ended_at: string;
            calls: components["schemas"]["SessionCall"][];
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * @description Whether messages are there: `not_allowed` to a key without the scope `telemetry:read`, `not_recorded` where no call of this page has any
             * @enum {string}
             */
            conversation: "recorded" | "not_recorded" | "not_allowed" | "not_shared";
            next_cursor: string | null;
        };
        /** SpotlightSessions */
        SpotlightSessions: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            sessions: components["schemas"]["SessionFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightTools */
        SpotlightTools: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            tools: components["schemas"]["ToolFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** SpotlightUsage */
        SpotlightUsage: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            usage: components["schemas"]["UsageFigures"][];
            total: number;
        };
        /** SpotlightUsers */
        SpotlightUsers: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            users: components["schemas"]["UserFigures"][];
            /** @description How many there are in the range */
            total: number;
        };
        /** Status */
        Status: {
            status: string;
        };
        /** SuggestedChange */
        SuggestedChange: {
            /** @enum {string} */
            op?: "update" | "delete";
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server_id?: string;
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            agent_uuid?: string;
            /** @enum {string} */
            access_mode?: "all" | "selected";
            allowed_tools?: string[];
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            toolset_id?: string;
            tools?: {
                /**
                 * @description UUIDv7
                 * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                 */
                server_id: string;
                tools: string[];
            }[];
        };
        /** SuggestionEvidence */
        SuggestionEvidence: {
            /** @description How far back was looked, at most as far as telemetry is kept */
            days: number;
            /** @description Tool calls that were not refused */
            calls: number;
            last_used_at: string | null;
            tools_used: components["schemas"]["ToolUse"][];
            tools_unused: string[];
            given_at: string | null;
            changed_at: string | null;
        };
        /** TelemetryResource */
        TelemetryResource: {
            service_name: string | null;
            service_namespace: string | null;
            service_version: string | null;
            environment: string | null;
            spans: number;
            log_records: number;
            data_points: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
        };
        /** TelemetryResourceList */
        TelemetryResourceList: {
            resources: components["schemas"]["TelemetryResource"][];
            next_cursor: string | null;
        };
        /** TimeBetween */
        TimeBetween: {
            /** @enum {string} */
            outer: "client" | "gateway" | "server";
            /** @enum {string} */
            inner: "client" | "gateway" | "server";
            /** @description What the inner does not account for: network and queues, there and back */
            duration_ms: number;
        };
        /** TimeBucket */
        TimeBucket: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            calls: number;
            errors: number;
            tool_calls: number;
            model_calls: number;
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
        };
        /** TimeSeriesGroup */
        TimeSeriesGroup: {
            group: {
                [key: string]: string;
            };
            buckets: components["schemas"]["TimeBucket"][];
        };
        /** Timeseries */
        Timeseries: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            interval_ms: number;
            buckets: components["schemas"]["TimeBucket"][];
            series?: components["schemas"]["TimeSeriesGroup"][];
            previous_buckets?: components["schemas"]["TimeBucket"][];
        };
        /**
         * TokenSums
         * @description Exclusive buckets: they add up
         */
        TokenSums: {
            input: number;
            cache_read: number;
            cache_write: number;
            output: number;
            reasoning: number;
        };
        /**
         * Tokens
         * @description Exclusive buckets: they add up
         */
        Tokens: {
            input: number;
            cache_read: number;
            cache_write: number;
            output: number;
            reasoning: number;
        };
        /** Tool */
        Tool: {
            name: string;
            title: string | null;
            description: string;
            /** @description JSON Schema of the arguments, as the server gave it */
            input_schema: unknown;
            output_schema: unknown;
            annotations: unknown;
            /** @description SHA-256 over the canonical definition */
            hash: string;
            /**
             * @description What agents are shown: `open` this definition, `kept` the one approved before, `suspended` nothing; see docs/tool-definitions.md
             * @enum {string}
             */
            pin: "open" | "kept" | "suspended";
            definition_tokens: number | null;
        };
        /**
         * ToolCallError
         * @description The JSON-RPC error that the server answered
         */
        ToolCallError: {
            code: number;
            message: string;
            data?: unknown;
        };
        /** ToolCallResult */
        ToolCallResult: {
            result: unknown | null;
            error: components["schemas"]["ToolCallError"] | null;
            is_error: boolean;
            duration_ms: number;
            trace_id: string;
        };
        /** ToolCost */
        ToolCost: {
            server: string | null;
            tool: string | null;
            agent: {
                id: string | null;
                name: string | null;
            } | null;
            /** @description Model calls that carried a definition of it */
            requests: number;
            /** @description How often a model asked for it */
            uses: number;
            definitions: components["schemas"]["ShareOfInput"];
            results: components["schemas"]["ShareOfResults"];
            /** @description Of the input, cached or not */
            tokens: number;
            /** @description Of these tokens, at what each was billed: read from the cache, written to it, or neither; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
        };
        /** ToolCostList */
        ToolCostList: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            /** @description Model calls with reported usage and a recorded prompt */
            requests: number;
            /** @description Their tokens count, their cost does not */
            unpriced_requests: number;
            input: components["schemas"]["ShareOfInput"];
            rest: components["schemas"]["ShareOfRest"];
            /** @description How many lines there are */
            total: number;
            tool_costs: components["schemas"]["ToolCost"][];
        };
        /** ToolFigures */
        ToolFigures: {
            server: {
                id: string | null;
                name: string | null;
            };
            tool: string;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** ToolLink */
        ToolLink: {
            tool_use_id: string | null;
            /** @description As the model wrote it */
            name: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            asked_at: string;
            asked_by: components["schemas"]["ToolLinkAsked"];
            /** @description The calls through the gateway */
            runs: components["schemas"]["ToolLinkRun"][];
            confidence: ("exact" | "strong" | "weak") | null;
            returned_in: components["schemas"]["ToolLinkReturned"] | null;
        };
        /**
         * ToolLinkAsked
         * @description The model call
         */
        ToolLinkAsked: {
            trace_id: string;
            span_id: string;
        };
        /**
         * ToolLinkReturned
         * @description The first model call that carries the result
         */
        ToolLinkReturned: {
            trace_id: string;
            span_id: string;
        };
        /** ToolLinkRun */
        ToolLinkRun: {
            trace_id: string;
            span_id: string;
            status: string;
        };
        /** ToolLinks */
        ToolLinks: {
            session_id: string;
            tool_links: components["schemas"]["ToolLink"][];
        };
        /** ToolList */
        ToolList: {
            tools: components["schemas"]["Tool"][];
            definition_tokens: number | null;
            refreshed_at: string | null;
            pending: string | null;
        };
        /** ToolOverlap */
        ToolOverlap: {
            first: components["schemas"]["OverlappingTool"];
            second: components["schemas"]["OverlappingTool"];
            /** @description But for case and what stands between words */
            same_name: boolean;
            /** @description Between 0 and 1, of words */
            name_similarity: number;
            /** @description Between 0 and 1, of words */
            description_similarity: number;
        };
        /** ToolOverlaps */
        ToolOverlaps: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            overlaps: components["schemas"]["ToolOverlap"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** ToolSelection */
        ToolSelection: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            tool_selection: components["schemas"]["SelectedTool"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** ToolUse */
        ToolUse: {
            tool: string;
            calls: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_used_at: string;
        };
        /** ToolVerdict */
        ToolVerdict: {
            name: string;
            allowed: boolean;
            /** @enum {string} */
            reason: "granted_all" | "granted_selected" | "granted_constrained" | "granted_on_approval" | "agent_unknown" | "agent_not_active" | "server_unknown" | "server_inactive" | "no_grant" | "grant_expired" | "grant_disabled" | "tool_not_selected" | "denied_by_hint" | "prompt_not_selected" | "resource_not_selected" | "arguments_refused" | "approval_required" | "definition_changed" | "undecidable";
            text: string;
        };
        /** ToolsOfServer */
        ToolsOfServer: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            server_id: string;
            tools: string[];
        };
        /** Toolset */
        Toolset: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            description: string;
            tools: components["schemas"]["ToolsOfServer"][];
            groups: string[];
            /** @description Agents that have grants by this toolset */
            agent_count: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
        };
        /** ToolsetList */
        ToolsetList: {
            toolsets: components["schemas"]["Toolset"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** ToolsetPreview */
        ToolsetPreview: {
            agents_changed: number;
            tools_gained: number;
            tools_lost: number;
            changes: components["schemas"]["AccessDifference"][];
        };
        /** Trace */
        Trace: {
            trace_id: string;
            spans: components["schemas"]["Span"][];
            /** @description Of the trace and its calls, the newest first, at most 1,000 */
            scores: components["schemas"]["Score"][];
            /** @description What models asked for, as far as the trace has a part in it: with the calls that ran for it, in other traces too. Of the first 10 sessions */
            tool_links: components["schemas"]["ToolLink"][];
            next_cursor: string | null;
        };
        /** TraceList */
        TraceList: {
            traces: components["schemas"]["TraceSummary"][];
            next_cursor: string | null;
        };
        /** TraceSummary */
        TraceSummary: {
            trace_id: string;
            /** @description Of the span without a parent, else of the first */
            name: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            started_at: string;
            /** @description From the first start to the last end */
            duration_ms: number;
            spans: number;
            /** @description Spans that failed, were refused or have no outcome */
            errors: number;
            /** @description At most 20 */
            services: string[];
            session_id: string | null;
            user_id: string | null;
        };
        /** UnpricedModel */
        UnpricedModel: {
            connection: string;
            provider: string;
            model: string;
            calls: number;
            tokens: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_at: string;
        };
        /** UnpricedModelList */
        UnpricedModelList: {
            models: components["schemas"]["UnpricedModel"][];
        };
        /** UnregisteredServer */
        UnregisteredServer: {
            /** @description `address` (host:port) or `service` */
            seen_as: string;
            name: string;
            registered_as: components["schemas"]["McpQuestionRef"] | null;
            /** @description Tool calls that were recorded of it */
            calls: number;
            errors: number;
            /** @description How many different tools */
            tools: number;
            /** @description Agents and services that called, at most 10 */
            callers: string[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            /** @description Of the newest */
            trace_id: string;
        };
        /** UnregisteredServers */
        UnregisteredServers: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            end: string;
            unregistered_servers: components["schemas"]["UnregisteredServer"][];
            /** @description How many were found */
            total: number;
            /** @description Whether there was more than one answer can look at */
            truncated: boolean;
        };
        /** UpstreamAuth */
        UpstreamAuth: {
            /**
             * @description `none`: the stored headers of the server, if any
             * @enum {string}
             */
            mode: "none" | "authorization_code" | "client_credentials";
            /**
             * @description Whose tokens go along: one for the workspace, one for each agent, or one for each person
             * @enum {string}
             */
            owner: "workspace" | "agent" | "user";
            issuer: string | null;
            client_id: string | null;
            scope: string | null;
            has_client_secret: boolean;
            /** @description To be registered at the authorization server, where one registers by hand */
            redirect_uri: string;
        };
        /** UpstreamConnection */
        UpstreamConnection: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /** @enum {string} */
            owner: "workspace" | "agent" | "user";
            owner_id: string | null;
            issuer: string;
            scope: string | null;
            /** @enum {string} */
            status: "active" | "needs_consent";
            expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
        };
        /** UpstreamConnectionList */
        UpstreamConnectionList: {
            connections: components["schemas"]["UpstreamConnection"][];
        };
        /** UpstreamConsent */
        UpstreamConsent: {
            url: string;
        };
        /** UsageFigures */
        UsageFigures: {
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** User */
        User: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            email: string;
            name: string;
            verified: boolean;
        };
        /** UserFigures */
        UserFigures: {
            user_id: string | null;
            /** @description Tool calls and model calls; with `kind=mcp` and in the lists of resources and prompts other MCP requests */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls; integer nano-dollars */
            cost_nano_usd: string;
            /** @description `cost_nano_usd` as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_seen_at: string;
            group?: {
                [key: string]: string;
            };
            previous?: components["schemas"]["CallFigures"] | null;
        };
        /** VerifiedAddress */
        VerifiedAddress: {
            email: string;
        };
        /** Version */
        Version: {
            version: string;
        };
        /** VertexCredential */
        VertexCredential: {
            service_account: components["schemas"]["ServiceAccount"];
            project: string;
            location: string;
        };
        /** Webhook */
        Webhook: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            disabled_reason: string | null;
            failing_since: string | null;
            old_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            url: string;
            description: string;
            events: string[];
            enabled: boolean;
        };
        /** WebhookList */
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** Workspace */
        Workspace: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            /**
             * @description Short name in the addresses of the dashboard, `/ui/w/{slug}/…`; a rename keeps it
             * @example acme
             */
            slug: string;
            /**
             * @description Of the person who asks
             * @enum {string}
             */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            updated_at: string;
            name: string;
        };
        /** WorkspaceList */
        WorkspaceList: {
            workspaces: components["schemas"]["Workspace"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** WorkspaceRights */
        WorkspaceRights: {
            /** @description May register programs that the instance starts (stdio servers) */
            stdio: boolean;
        };
        /** WorkspaceSummary */
        WorkspaceSummary: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            /**
             * @description Short name in the addresses of the dashboard, `/ui/w/{slug}/…`; a rename keeps it
             * @example acme
             */
            slug: string;
            /** @enum {string} */
            role: "viewer" | "auditor" | "member" | "admin" | "owner";
        };
    };
    responses: {
        /** @description Nothing changed since the ETag of If-None-Match; no body */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `workspace_mismatch`: The request is meant for another workspace; `invalid_request`: The request is malformed; `invalid_json`: The body is not valid JSON; `invalid_host`: The Host header is not valid; `invalid_path`: The path is not in its plain form; `ambiguous_credentials`: More than one credential was sent */
        Problem400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: There is no such object; `share_invalid`: The link shows nothing: it was revoked, has expired, or its session is gone */
        Problem404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body_too_large`: The body is larger than the limit */
        Problem413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The content type or encoding is not supported */
        Problem415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `question_too_large`: The question takes more time or memory than one may; `weak_password`: The password is too easy to guess; `idempotency_mismatch`: The Idempotency-Key was used for another request; `wrong_password`: The current password is wrong */
        Problem422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthenticated`: The credential is missing or not accepted here; `wrong_credentials`: E-mail or password is wrong; `session_ended`: The session has ended */
        Problem401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: A role or scope is missing; `setup_required`: This instance has no operator yet; `setup_link_invalid`: The setup link was used or has expired; `password_login_off`: This instance takes no passwords; `mail_link_invalid`: The link was used or has expired; `signup_closed`: Registration is closed; `invitation_invalid`: The invitation was used or revoked, or has expired; `sharing_off`: Sharing by links is off in this workspace; `invitation_for_another`: The invitation is for another person; `authorization_invalid`: What the client asked for was decided, has expired, or began in another browser; `agent_required`: This endpoint needs an agent; `agent_not_active`: The agent is not active; `model_not_granted`: The agent may not use this model or connection; `hook_denied`: A hook of the workspace refused this call or its answer; `tool_not_granted`: The agent may not call this tool; `stdio_not_allowed`: The workspace may not register programs; `call_cut`: The call was cut after it was sent, and may have taken effect; `path_not_allowed`: This provider path is not open with a stored key; `provider_key_missing`: The connection has no key; `address_not_allowed`: The credential may not be used from this address; `blocked_address`: The target address is not allowed */
        Problem403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: The change conflicts with what exists; `last_way_in`: An account keeps at least one way to sign in; `last_owner`: A workspace keeps at least one owner; `last_workspace`: An instance keeps at least one workspace; `last_operator`: An instance keeps at least one operator; `set_by_environment`: The environment sets this value; `sign_in_required`: The invited person has an account; `name_taken`: The name is already in use; `idempotency_in_progress`: A request with this Idempotency-Key still runs; `idempotency_answer_lost`: The change was made, but its answer was lost; `approval_decided`: The approval is decided or has expired; `derived_grant`: The grant comes from a toolset; `suggestion_outdated`: The suggestion no longer fits; `grant_changed`: A grant was changed since the suggestion was applied; `grants_exist`: Agents still have access; `no_password`: The account has no password */
        Problem409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_failed`: The object is no longer as If-Match says */
        Problem412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `too_many_requests`: Too many requests; `rate_limited`: The rate limit is reached; `model_calls_limited`: A limit of model calls is reached */
        Problem429: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal`: Something broke on our side */
        Problem500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `upstream_unreachable`: The MCP server or provider could not be reached */
        Problem502: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `upstream_timeout`: The MCP server did not answer in time */
        Problem504: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `hook_failed`: A hook of the workspace could not tell whether this call may go on, and refuses it then; `recorder_full`: The telemetry log takes no records; `stale_permissions`: Permissions could not be refreshed; `disk_full`: A disk is full; `store_unavailable`: A store does not answer; `overloaded`: The instance has more work than it can do; `shutting_down`: The program is shutting down */
        Problem503: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description An `ETag` from before: 304 without a body when nothing changed. */
        IfNoneMatch: string;
        /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
        IfMatch: string;
        /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
        IdempotencyKey: string;
        /** @description The id of the event; the same in every attempt and replay */
        WebhookId: string;
        /** @description When this attempt was made, in seconds since 1970 */
        WebhookTimestamp: string;
        /** @description `v1,` and base64 of the HMAC-SHA256 over `id.timestamp.body` under the webhook’s secret; two with a space between them while that is being replaced */
        WebhookSignature: string;
    };
    requestBodies: never;
    headers: {
        /** @description Of this request: the one it came with, or a new one */
        "X-Request-Id": string;
        /** @description Strong; changes whenever the document does */
        ETag: string;
        /** @description What is left of the quota (`r`) and the seconds until it is whole again (`t`) */
        RateLimit: string;
        /** @description The quota (`q`) and its window in seconds (`w`) */
        "RateLimit-Policy": string;
        /** @description `true` when the answer was stored before */
        "Idempotency-Replayed": "true";
        /** @description Seconds to wait before a repetition */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "servers.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "inactive" | "deploying" | "error";
                /** @description With this health */
                health_status?: "unknown" | "healthy" | "degraded" | "unhealthy";
                /** @description With this transport */
                transport_type?: "http" | "sse" | "stdio";
                /** @description Part of the name, the slug or the description */
                q?: string;
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "updated_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    slug?: string;
                    /** @description http or https address of the MCP endpoint */
                    url?: string;
                    /** @description A program for Signalbox to run (stdio); in place of `url`, where an operator allows it */
                    command?: string;
                    args?: string[];
                    /** @description Environment of the program; sealed, never returned */
                    env?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    transport_type?: "http" | "sse" | "stdio";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Free-form. `capture_arguments` and `capture_results`, true or false, say for this server whether arguments and results of tool calls are recorded (at most 16 KiB each; keys, addresses and other private data redacted); without them the choice of the workspace holds (`/v1/call-recording`). `protocol_era: "legacy"` speaks 2025-11-25 at most to all clients; without it a server that knows both eras speaks that of each client */
                    configuration?: {
                        [key: string]: unknown;
                    };
                    /** @description Tool, or `*` for all tools of the server together → limits of the calls of all agents together */
                    call_limits?: {
                        [key: string]: components["schemas"]["CallLimits"];
                    };
                    max_result_bytes?: number | null;
                    tool_prefix?: string | null;
                    /** @description Tool → its whole name at `/mcp`, without `__`; the usual name goes on working. Each alias is of one tool in the workspace (409) */
                    tool_aliases?: {
                        [key: string]: string;
                    };
                    /**
                     * @description `keep-approved` (from the start): agents keep the definition that was approved while their calls stay valid, else the tool waits for approval, as new tools do. `suspend`: every change waits. `allow`: changes are taken
                     * @enum {string}
                     */
                    definition_policy?: "allow" | "keep-approved" | "suspend";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description Stable short name in paths and tool names */
                    slug?: string;
                    /** @enum {string} */
                    transport_type?: "http" | "sse" | "stdio";
                    /** @enum {string} */
                    hosting_mode?: "remote" | "hosted";
                    /** @enum {string} */
                    health_status?: "unknown" | "healthy" | "degraded" | "unhealthy";
                    health_error?: string | null;
                    tools_pending?: string | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    last_health_check?: string;
                    /** @description Names of the stored headers; their values are never returned */
                    header_names?: string[];
                    /** @description Names of the stored variables of a program; their values are never returned */
                    env_names?: string[];
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    agent_access?: components["schemas"]["AgentAccess"][];
                    /** @description http or https address of the MCP endpoint */
                    url?: string;
                    /** @description http or https address of the MCP endpoint */
                    endpoint_url?: string;
                    command?: string | null;
                    args?: string[];
                    /** @description Environment of the program; sealed, never returned */
                    env?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    status?: "active" | "inactive" | "deploying" | "error";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Free-form. `capture_arguments` and `capture_results`, true or false, say for this server whether arguments and results of tool calls are recorded (at most 16 KiB each; keys, addresses and other private data redacted); without them the choice of the workspace holds (`/v1/call-recording`). `protocol_era: "legacy"` speaks 2025-11-25 at most to all clients; without it a server that knows both eras speaks that of each client */
                    configuration?: {
                        [key: string]: unknown;
                    };
                    /** @description Tool, or `*` for all tools of the server together → limits of the calls of all agents together */
                    call_limits?: {
                        [key: string]: components["schemas"]["CallLimits"];
                    };
                    max_result_bytes?: number | null;
                    tool_prefix?: string | null;
                    /** @description Tool → its whole name at `/mcp`, without `__`; the usual name goes on working. Each alias is of one tool in the workspace (409) */
                    tool_aliases?: {
                        [key: string]: string;
                    };
                    /**
                     * @description `keep-approved` (from the start): agents keep the definition that was approved while their calls stay valid, else the tool waits for approval, as new tools do. `suspend`: every change waits. `allow`: changes are taken
                     * @enum {string}
                     */
                    definition_policy?: "allow" | "keep-approved" | "suspend";
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.delete": {
        parameters: {
            query?: {
                /** @description Do it although something still depends on it */
                force?: boolean;
            };
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description Stable short name in paths and tool names */
                    slug?: string;
                    /** @enum {string} */
                    transport_type?: "http" | "sse" | "stdio";
                    /** @enum {string} */
                    hosting_mode?: "remote" | "hosted";
                    /** @enum {string} */
                    health_status?: "unknown" | "healthy" | "degraded" | "unhealthy";
                    health_error?: string | null;
                    tools_pending?: string | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    last_health_check?: string;
                    /** @description Names of the stored headers; their values are never returned */
                    header_names?: string[];
                    /** @description Names of the stored variables of a program; their values are never returned */
                    env_names?: string[];
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    agent_access?: components["schemas"]["AgentAccess"][];
                    /** @description http or https address of the MCP endpoint */
                    url?: string;
                    /** @description http or https address of the MCP endpoint */
                    endpoint_url?: string;
                    command?: string | null;
                    args?: string[];
                    /** @description Environment of the program; sealed, never returned */
                    env?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    status?: "active" | "inactive" | "deploying" | "error";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Free-form. `capture_arguments` and `capture_results`, true or false, say for this server whether arguments and results of tool calls are recorded (at most 16 KiB each; keys, addresses and other private data redacted); without them the choice of the workspace holds (`/v1/call-recording`). `protocol_era: "legacy"` speaks 2025-11-25 at most to all clients; without it a server that knows both eras speaks that of each client */
                    configuration?: {
                        [key: string]: unknown;
                    };
                    /** @description Tool, or `*` for all tools of the server together → limits of the calls of all agents together */
                    call_limits?: {
                        [key: string]: components["schemas"]["CallLimits"];
                    };
                    max_result_bytes?: number | null;
                    tool_prefix?: string | null;
                    /** @description Tool → its whole name at `/mcp`, without `__`; the usual name goes on working. Each alias is of one tool in the workspace (409) */
                    tool_aliases?: {
                        [key: string]: string;
                    };
                    /**
                     * @description `keep-approved` (from the start): agents keep the definition that was approved while their calls stay valid, else the tool waits for approval, as new tools do. `suspend`: every change waits. `allow`: changes are taken
                     * @enum {string}
                     */
                    definition_policy?: "allow" | "keep-approved" | "suspend";
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.tools": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.refresh-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.health": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.health-history": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.call-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description The name of it, as its list shows it */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    arguments?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallResult"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    "servers.import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    mcpServers?: {
                        [key: string]: unknown;
                    };
                    servers?: {
                        [key: string]: unknown;
                    };
                    /** @description Of VS Code; not used */
                    inputs?: unknown[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedServers"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "tool-definitions.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "tool-definitions.versions": {
        parameters: {
            query: {
                /** @description The name of it, as its list shows it */
                name: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionVersionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "tool-definitions.diff": {
        parameters: {
            query: {
                /** @description The name of it, as its list shows it */
                name: string;
                /** @description SHA-256 over the canonical definition */
                from?: string;
                /** @description SHA-256 over the canonical definition */
                to?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionDiff"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "tool-definitions.decide": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    decisions: {
                        name: string;
                        /** @description SHA-256 over the canonical definition */
                        hash: string;
                        /** @enum {string} */
                        decision: "approve" | "reject";
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "tool-definitions.pending": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingDefinitionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.program": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.update-program": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `stopped`: it starts with the next request. `waiting`: it ended again and again
                     * @enum {string}
                     */
                    state?: "stopped" | "running" | "waiting";
                    processes?: {
                        pid: number | null;
                        /**
                         * Format: date-time
                         * @description RFC 3339, UTC, milliseconds
                         * @example 2026-11-21T08:30:00.000Z
                         */
                        started_at: string;
                        sessions: number;
                        /** @description Whether clients that cannot be asked back share it */
                        shared: boolean;
                    }[];
                    /** @description Since this instance started */
                    starts?: number;
                    /** @description Unwanted ends in a row */
                    failures?: number;
                    last_end?: string | null;
                    next_start_at?: string | null;
                    /** @enum {string} */
                    sandbox?: "bubblewrap" | "none";
                    sandbox_missing?: string | null;
                    package?: components["schemas"]["ProgramPackage"] | null;
                    install_error?: string | null;
                    limits?: components["schemas"]["ProgramLimits"];
                    /** @description Of all that is accepted: command, arguments, environment with its values, folders, package with its version and dependencies */
                    fingerprint?: string;
                    /** @description What somebody writes to let the program start as it is now: in its sandbox, or where there is none, without one */
                    acceptance_sentence?: string;
                    accepted?: components["schemas"]["ProgramAcceptance"] | null;
                    accepted_without_sandbox?: components["schemas"]["ProgramAcceptance"] | null;
                    /** @description Hosts that the program may reach from its sandbox: `api.example.com`, `*.example.com`; ports 80 and 443 unless `:port` names another. None by default */
                    allowed_hosts?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.logs": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgramLogs"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.accept-without-sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sentence: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.withdraw-acceptance": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.restart-program": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "servers.install-program": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.list-seed": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "paused" | "stopped" | "error";
                /** @description Part of the name */
                q?: string;
                /** @description Agents in this group */
                group?: string;
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "updated_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "paused" | "stopped" | "error";
                /** @description Part of the name */
                q?: string;
                /** @description Agents in this group */
                group?: string;
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "updated_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description?: string;
                    groups?: string[];
                    model_access?: components["schemas"]["ModelAccess"];
                    /** @description Of all tool calls of the agent together; null: none */
                    call_limits?: components["schemas"]["CallLimits"] | null;
                    /**
                     * @description On `/mcp`: `all` lists every granted tool; `search` lists `find_tools` and `call_tool`, by which all granted tools are found and called; `auto` does so when the definitions have more than about 20,000 tokens
                     * @enum {string}
                     */
                    tool_face?: "all" | "search" | "auto";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    uuid?: string;
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @enum {string} */
                    status?: "active" | "paused" | "stopped" | "error";
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    /** @description Servers that the agent may use by its grants */
                    mcp_server_count?: number;
                    last_seen_at?: string | null;
                    name?: string;
                    description?: string;
                    groups?: string[];
                    model_access?: components["schemas"]["ModelAccess"];
                    /** @description Of all tool calls of the agent together; null: none */
                    call_limits?: components["schemas"]["CallLimits"] | null;
                    /**
                     * @description On `/mcp`: `all` lists every granted tool; `search` lists `find_tools` and `call_tool`, by which all granted tools are found and called; `auto` does so when the definitions have more than about 20,000 tokens
                     * @enum {string}
                     */
                    tool_face?: "all" | "search" | "auto";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.start": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.install": {
        parameters: {
            query?: {
                /** @description Slug or id of one server; absent: everything granted */
                server?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentInstall"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.list-keys": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "revoked" | "expired";
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "last_used_at" | "expires_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "agents.create-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    expires_at?: string | null;
                    allowed_addresses?: string[] | null;
                    /**
                     * @description When the client of a model call goes away: `abort` ends the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to its end
                     * @enum {string}
                     */
                    on_disconnect?: "abort" | "drain" | "detach";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAccessList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid: string;
                    /** @enum {string} */
                    access_mode?: "all" | "selected";
                    allowed_tools?: string[] | null;
                    allowed_prompts?: string[] | null;
                    allowed_resources?: string[] | null;
                    enabled?: boolean;
                    expires_at?: string | null;
                    /** @description Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy. What is allowed in it: docs/access.md */
                    constraints?: {
                        [key: string]: unknown;
                    };
                    /** @description Tool → `ask`: a call needs the approval of a person */
                    approval?: {
                        [key: string]: "ask";
                    };
                    /**
                     * @description Whose approval counts: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent, asked by their client
                     * @enum {string}
                     */
                    approver?: "workspace" | "caller";
                    approval_wait_ms?: number | null;
                    /** @description Tools that are denied by their annotations, also where the grant names them: `destructiveHint`: all but those that say they are read-only or not destructive; `openWorldHint`: all but those that say they stay within a closed world. Annotations are the server's own word, and nobody checks them */
                    denied_hints?: ("destructiveHint" | "openWorldHint")[];
                    /** @description Tool, or `*` for all tools of the server together → limits of the calls of this agent */
                    call_limits?: {
                        [key: string]: components["schemas"]["CallLimits"];
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrant"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrant"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    server_id?: string;
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                    source?: components["schemas"]["GrantSource"];
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    /** @description What is stored, but does nothing as things are now: names that nothing has, say. Empty when all is well */
                    warnings?: string[];
                    /** @enum {string} */
                    access_mode?: "all" | "selected";
                    allowed_tools?: string[] | null;
                    allowed_prompts?: string[] | null;
                    allowed_resources?: string[] | null;
                    enabled?: boolean;
                    expires_at?: string | null;
                    /** @description Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy. What is allowed in it: docs/access.md */
                    constraints?: {
                        [key: string]: unknown;
                    };
                    /** @description Tool → `ask`: a call needs the approval of a person */
                    approval?: {
                        [key: string]: "ask";
                    };
                    /**
                     * @description Whose approval counts: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent, asked by their client
                     * @enum {string}
                     */
                    approver?: "workspace" | "caller";
                    approval_wait_ms?: number | null;
                    /** @description Tools that are denied by their annotations, also where the grant names them: `destructiveHint`: all but those that say they are read-only or not destructive; `openWorldHint`: all but those that say they stay within a closed world. Annotations are the server's own word, and nobody checks them */
                    denied_hints?: ("destructiveHint" | "openWorldHint")[];
                    /** @description Tool, or `*` for all tools of the server together → limits of the calls of this agent */
                    call_limits?: {
                        [key: string]: components["schemas"]["CallLimits"];
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrant"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access.of-agent": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessOfAgent"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description Part of the name */
                q?: string;
                /** @description Toolsets given to this group */
                group?: string;
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "updated_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description?: string;
                    tools?: {
                        /**
                         * @description UUIDv7
                         * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                         */
                        server_id: string;
                        /** @description Names of tools; `*` is replaced at once by the tools that the server has now */
                        tools: string[] | "*";
                    }[];
                    groups?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Toolset"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Toolset"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description Agents that have grants by this toolset */
                    agent_count?: number;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    description?: string;
                    tools?: {
                        /**
                         * @description UUIDv7
                         * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                         */
                        server_id: string;
                        /** @description Names of tools; `*` is replaced at once by the tools that the server has now */
                        tools: string[] | "*";
                    }[];
                    groups?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Toolset"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "toolsets.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tools?: {
                        /**
                         * @description UUIDv7
                         * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                         */
                        server_id: string;
                        /** @description Names of tools; `*` is replaced at once by the tools that the server has now */
                        tools: string[] | "*";
                    }[];
                    groups?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetPreview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-review.simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    changes: (components["schemas"]["ProposedGrant"] | components["schemas"]["ProposedRemoval"] | components["schemas"]["ProposedToolset"])[];
                    /**
                     * @description How far back to look
                     * @default 7
                     */
                    days?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-review.suggestions": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description How far back to look */
                days?: number;
                /** @description What is suggested now, or what was applied, or reverted */
                state?: "open" | "applied" | "reverted";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessSuggestionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-review.apply": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessSuggestion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-review.revert": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessSuggestion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "approvals.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "pending" | "approved" | "used" | "denied" | "expired" | "revoked";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description Of this MCP server */
                server_id?: string;
                /** @description The field to sort by */
                sort?: "requested_at" | "expires_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "approvals.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "approvals.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All calls of this tool by this agent, whatever their arguments */
                    for_minutes?: number;
                    /** @description The agent reads it */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "approvals.deny": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The agent reads it */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "approvals.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-requests.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "pending" | "granted" | "declined";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description The field to sort by */
                sort?: "requested_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRequestList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-requests.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid: string;
                    /** @description Id or slug */
                    server: string;
                    /** @description The server's own name of the tool */
                    tool?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRequest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-requests.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRequest"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-requests.grant": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRequest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "access-requests.decline": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRequest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "revoked" | "expired";
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "last_used_at" | "expires_at";
                /** @description UUIDv7 */
                agent_uuid?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    expires_at?: string | null;
                    allowed_addresses?: string[] | null;
                    /**
                     * @description When the client of a model call goes away: `abort` ends the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to its end
                     * @enum {string}
                     */
                    on_disconnect?: "abort" | "drain" | "detach";
                    scopes?: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "forwarders:read" | "forwarders:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "programs:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description First characters of the secret */
                    prefix?: string;
                    last4?: string;
                    /** @enum {string} */
                    status?: "active" | "revoked" | "expired";
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    last_used_at?: string | null;
                    rotation?: components["schemas"]["Rotation"] | null;
                    name?: string;
                    expires_at?: string | null;
                    allowed_addresses?: string[] | null;
                    scopes?: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "forwarders:read" | "forwarders:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "programs:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
                    agent_uuid?: string | null;
                    /**
                     * @description When the client of a model call goes away: `abort` ends the call at the provider, `drain` reads on for up to 30 s for exact usage, `detach` lets it run to its end
                     * @enum {string}
                     */
                    on_disconnect?: "abort" | "drain" | "detach";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the present secret works on after the first use of the new one; a day when absent */
                    grace_s?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "keys.cancel-rotation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "revoked" | "expired";
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "last_used_at" | "expires_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestTokenList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    expires_at?: string | null;
                    allowed_addresses?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewIngestToken"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestToken"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description First characters of the secret */
                    prefix?: string;
                    last4?: string;
                    /** @enum {string} */
                    status?: "active" | "revoked" | "expired";
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    last_used_at?: string | null;
                    rotation?: components["schemas"]["Rotation"] | null;
                    name?: string;
                    expires_at?: string | null;
                    allowed_addresses?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestToken"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the present secret works on after the first use of the new one; a day when absent */
                    grace_s?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewIngestToken"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ingest-tokens.cancel-rotation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "authorizations.consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The request of the client, sealed, as `/oauth/authorize` put it into the fragment of the address */
                    request: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "authorizations.decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The request of the client, sealed, as `/oauth/authorize` put it into the fragment of the address */
                    request: string;
                    /** @enum {string} */
                    decision: "approve" | "deny";
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentDecision"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "authorizations.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description With this status */
                status?: "active" | "revoked" | "expired";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description The field to sort by */
                sort?: "created_at" | "expires_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "authorizations.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "upstream-credentials.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamAuth"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "upstream-credentials.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `none`: the stored headers of the server, if any
                     * @enum {string}
                     */
                    mode: "none" | "authorization_code" | "client_credentials";
                    /**
                     * @description Whose tokens go along: one for the workspace, one for each agent, or one for each person
                     * @enum {string}
                     */
                    owner?: "workspace" | "agent" | "user";
                    issuer?: string | null;
                    client_id?: string | null;
                    client_secret?: string;
                    scope?: string | null;
                    has_client_secret?: boolean;
                    /** @description To be registered at the authorization server, where one registers by hand */
                    redirect_uri?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamAuth"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "upstream-credentials.authorize": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                    /** @description More than the usual, after a step-up */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamConsent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
        };
    };
    "upstream-credentials.connections": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamConnectionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "upstream-credentials.disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKeyList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    provider: "openai" | "anthropic" | "openai_compatible" | "gemini" | "azure_openai" | "vertex" | "bedrock";
                    key?: string;
                    /** @description In place of `key`: an access key for bedrock, a service account for vertex */
                    credential?: components["schemas"]["AwsCredential"] | components["schemas"]["VertexCredential"];
                    /** @description The provider's public API when absent; needed for openai_compatible and azure_openai */
                    base_url?: string;
                    /** @default true */
                    record_bodies?: boolean;
                    /** @default false */
                    inject_usage?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKey"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    key?: string;
                    /** @description In place of `key`: an access key for bedrock, a service account for vertex */
                    credential?: components["schemas"]["AwsCredential"] | components["schemas"]["VertexCredential"];
                    /** @description The provider's public API when absent; needed for openai_compatible and azure_openai */
                    base_url?: string;
                    record_bodies?: boolean;
                    inject_usage?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "provider-keys.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKeyTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "routes.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRouteList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "routes.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In `/proxy/{name}/…`, like the name of a connection; none may have it */
                    name: string;
                    targets: {
                        /** @description The name of a connection */
                        connection: string;
                        model?: string | null;
                        /** @description Its share, with `weighted` */
                        weight?: number;
                        /** @description The models of callers that it is for; `*` stands for any characters */
                        for_models?: string[];
                    }[];
                    /**
                     * @description Which target is asked first: the first one, one by chance according to the weights, or the one that answers soonest. The others follow when it fails
                     * @enum {string}
                     */
                    strategy?: "ordered" | "weighted" | "least_latency";
                    /** @description How often one target is asked again */
                    retries?: number;
                    first_token_timeout_ms?: number | null;
                    idle_timeout_ms?: number | null;
                    total_timeout_ms?: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoute"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "routes.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoute"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "routes.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "routes.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @description In `/proxy/{name}/…`, like the name of a connection; none may have it */
                    name?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    /**
                     * @description Which target is asked first: the first one, one by chance according to the weights, or the one that answers soonest. The others follow when it fails
                     * @enum {string}
                     */
                    strategy?: "ordered" | "weighted" | "least_latency";
                    /** @description How often one target is asked again */
                    retries?: number;
                    first_token_timeout_ms?: number | null;
                    idle_timeout_ms?: number | null;
                    total_timeout_ms?: number | null;
                    /** @description What is stored, but does nothing as things are now: names that nothing has, say. Empty when all is well */
                    warnings?: string[];
                    targets?: {
                        /** @description The name of a connection */
                        connection: string;
                        model?: string | null;
                        /** @description Its share, with `weighted` */
                        weight?: number;
                        /** @description The models of callers that it is for; `*` stands for any characters */
                        for_models?: string[];
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoute"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    action: "deny" | "redact" | "webhook";
                    /** @description `request`: what goes to the provider; `response`: an answer that is whole JSON; `stream`: an answer in events, which `redact` cannot change */
                    stages: ("request" | "response" | "stream")[];
                    /**
                     * @description In the syntax of RE2: no look-around, no back-references. Matches are of up to 512 characters
                     * @example EMP-[0-9]{6}
                     */
                    pattern?: string;
                    /**
                     * @description With `redact` and `webhook`: what is taken out is replaced by `[redacted:label]`
                     * @example staff_number
                     */
                    label?: string;
                    /** @example https://example.org/hooks/prompts */
                    url?: string;
                    enabled?: boolean;
                    /**
                     * @description `dry_run` records what it would have done and changes nothing
                     * @enum {string}
                     */
                    mode?: "dry_run" | "enforce";
                    /** @description Names of connections and routes; `*` stands for any characters */
                    connections?: string[];
                    /** @description Names of models, as they are asked for; a call whose model cannot be told is one of all; `*` stands for any characters */
                    models?: string[];
                    /** @description Names or ids of agents; calls without an agent need `*`; `*` stands for any characters */
                    agents?: string[];
                    /** @description How long a webhook may take for one answer */
                    timeout_ms?: number;
                    /**
                     * @description What becomes of a call when the hook cannot tell: a webhook without an answer, an answer that is no readable JSON. `open`: it goes on; `closed`: it is refused. A request that cannot be read is refused by every hook that enforces
                     * @enum {string}
                     */
                    fail_mode?: "open" | "closed";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hook"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @enum {string} */
                    action?: "deny" | "redact" | "webhook";
                    old_secret_expires_at?: string | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    enabled?: boolean;
                    /**
                     * @description `dry_run` records what it would have done and changes nothing
                     * @enum {string}
                     */
                    mode?: "dry_run" | "enforce";
                    /** @description `request`: what goes to the provider; `response`: an answer that is whole JSON; `stream`: an answer in events, which `redact` cannot change */
                    stages?: ("request" | "response" | "stream")[];
                    /** @description Names of connections and routes; `*` stands for any characters */
                    connections?: string[];
                    /** @description Names of models, as they are asked for; a call whose model cannot be told is one of all; `*` stands for any characters */
                    models?: string[];
                    /** @description Names or ids of agents; calls without an agent need `*`; `*` stands for any characters */
                    agents?: string[];
                    /** @description How long a webhook may take for one answer */
                    timeout_ms?: number;
                    /**
                     * @description What becomes of a call when the hook cannot tell: a webhook without an answer, an answer that is no readable JSON. `open`: it goes on; `closed`: it is refused. A request that cannot be read is refused by every hook that enforces
                     * @enum {string}
                     */
                    fail_mode?: "open" | "closed";
                    pattern?: string | null;
                    /**
                     * @description With `redact` and `webhook`: what is taken out is replaced by `[redacted:label]`
                     * @example staff_number
                     */
                    label?: string;
                    url?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "hooks.rotate-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewHook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at" | "updated_at" | "name";
                /** @description Only budgets of this scope */
                scope?: "workspace" | "agent" | "key" | "session" | "user";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description Whose calls are counted together
                     * @enum {string}
                     */
                    scope: "workspace" | "agent" | "key" | "session" | "user";
                    scope_id?: string | null;
                    /** @enum {string} */
                    unit?: "nano_usd" | "tokens";
                    /**
                     * @description Integer nano-dollars, or tokens; 1 dollar is 1000000000
                     * @example 5000000000
                     */
                    limit: string;
                    /**
                     * @description Calendar windows begin in `time_zone`; a week on Monday
                     * @enum {string}
                     */
                    window: "hour" | "day" | "week" | "month" | "rolling";
                    /**
                     * @description IANA name
                     * @example Europe/Berlin
                     */
                    time_zone?: string;
                    rolling_s?: number | null;
                    /**
                     * @description `hard` refuses and stops calls, `soft` only tells
                     * @enum {string}
                     */
                    mode?: "hard" | "soft";
                    /**
                     * @description What becomes of calls of models without a price; `ceiling` counts each as that amount
                     * @enum {string}
                     */
                    unpriced?: "deny" | "allow" | "ceiling";
                    unpriced_ceiling?: string | null;
                    /** @description Percentages at which `budget.threshold` is told */
                    thresholds?: number[];
                    /** @description Who can help; refusals name it */
                    contact?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * @description Whose calls are counted together
                     * @enum {string}
                     */
                    scope?: "workspace" | "agent" | "key" | "session" | "user";
                    scope_id?: string | null;
                    /** @enum {string} */
                    unit?: "nano_usd" | "tokens";
                    /**
                     * @description Calendar windows begin in `time_zone`; a week on Monday
                     * @enum {string}
                     */
                    window?: "hour" | "day" | "week" | "month" | "rolling";
                    /**
                     * @description IANA name
                     * @example Europe/Berlin
                     */
                    time_zone?: string;
                    rolling_s?: number | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    /**
                     * @description Integer nano-dollars, or tokens; 1 dollar is 1000000000
                     * @example 5000000000
                     */
                    limit?: string;
                    /**
                     * @description `hard` refuses and stops calls, `soft` only tells
                     * @enum {string}
                     */
                    mode?: "hard" | "soft";
                    /**
                     * @description What becomes of calls of models without a price; `ceiling` counts each as that amount
                     * @enum {string}
                     */
                    unpriced?: "deny" | "allow" | "ceiling";
                    unpriced_ceiling?: string | null;
                    /** @description Percentages at which `budget.threshold` is told */
                    thresholds?: number[];
                    /** @description Who can help; refusals name it */
                    contact?: string;
                    enabled?: boolean;
                    state?: components["schemas"]["BudgetState"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "budgets.spending": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetSpendingList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "model-limits.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelLimitList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "model-limits.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Whose calls are counted together
                     * @enum {string}
                     */
                    scope: "workspace" | "agent" | "key" | "connection";
                    scope_id?: string | null;
                    name: string;
                    requests_per_minute?: number | null;
                    tokens_per_minute?: number | null;
                    concurrency?: number | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelLimit"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "model-limits.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelLimit"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "model-limits.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "model-limits.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * @description Whose calls are counted together
                     * @enum {string}
                     */
                    scope?: "workspace" | "agent" | "key" | "connection";
                    scope_id?: string | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    requests_per_minute?: number | null;
                    tokens_per_minute?: number | null;
                    concurrency?: number | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelLimit"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "prices.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PriceList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "prices.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    connection?: string | null;
                    provider?: string | null;
                    /**
                     * @description As the provider names it; `*` stands for any text
                     * @example gpt-5*
                     */
                    model: string;
                    rates?: components["schemas"]["PriceRates"];
                    factor?: string | null;
                    note?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    effective_from?: string;
                    effective_until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "prices.end": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    at?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "prices.effective": {
        parameters: {
            query: {
                /** @description As calls name it */
                provider: string;
                /** @description As the provider names it */
                model: string;
                /** @description The connection of the call */
                connection?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectivePrice"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "prices.unpriced": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnpricedModelList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ledger.reprice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description RFC 3339, or relative: -15m, -24h, -7d */
                    start: string;
                    /** @description Now when absent */
                    end?: string;
                    /** @description Only calls that these models answered, as they are recorded; `*` stands for any text */
                    models?: string[];
                    /**
                     * @description Which prices of the workspace count: those that hold `now` (the default) or `at_call`. The table counts as it was for the day of the call
                     * @enum {string}
                     */
                    own_prices?: "now" | "at_call";
                    /** @description True unless it is said */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repricing"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ledger.versions": {
        parameters: {
            query: {
                /** @description 32 lower-case hexadecimal digits */
                trace_id: string;
                /** @description 16 hexadecimal digits */
                span_id: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerVersionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "ledger.list": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description Only calls of this agent */
                agent_uuid?: string;
                /** @description Only calls with this key */
                key_id?: string;
                /** @description Only calls of this session */
                session_id?: string;
                /** @description Only calls for this person, as the client names them */
                user_id?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only rows of this model */
                model?: string;
                /** @description Only rows of this dimension */
                dimension?: "in_text" | "in_audio" | "in_image" | "in_video" | "cache_read" | "cache_read_audio" | "cache_read_image" | "cache_write_5m" | "cache_write_30m" | "cache_write_1h" | "cache_write_12h" | "tool_prompt" | "out_text" | "out_reasoning" | "out_audio" | "out_image" | "out_video" | "out_citation" | "pred_rejected" | "request" | "web_search" | "web_fetch" | "grounding_query" | "file_search" | "code_exec_s" | "image_count" | "audio_s" | "cache_storage_token_hours";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.overview": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description Also the figures of the 50 largest groups by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightOverview"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.timeseries": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description How long a bucket is: 30s, 5m, 1h, 1d */
                interval?: string;
                /** @description The same in milliseconds; by default such that there are at most 120 buckets */
                interval_ms?: number;
                /** @description Also the ten groups with the most calls, each over time, by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeseries"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.usage": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description By provider and model unless said otherwise: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightUsage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.tools": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightTools"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.resources": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightResources"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.prompts": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightPrompts"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.servers": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightServers"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.agents": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightAgents"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.models": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightModels"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.users": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightUsers"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.clients": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightClients"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.sessions": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightSessions"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.scores": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightScores"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.errors": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightErrors"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.session": {
        parameters: {
            query?: {
                /** @description Calls on a page */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description As the client names it; with a `/`, `\` or leading `~` in it: `~` and base64url of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightSession"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_tool_selection": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolSelection"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_definition_changes": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionChanges"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_invalid_arguments": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidArguments"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_retry_loops": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description From how many calls on */
                min_calls?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryLoops"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_overlaps": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolOverlaps"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_unregistered_servers": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnregisteredServers"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.releases": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerReleaseList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.cache_misses": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description UUIDv7 */
                agent?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description Only misses for this reason */
                cause?: "model_changed" | "connection_changed" | "cache_key_changed" | "not_marked" | "below_minimum" | "expired" | "tools_changed" | "system_changed" | "parameters_changed" | "history_compacted" | "messages_changed" | "concurrent" | "provider_miss";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheMissList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.cache_miss": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description 32 lower-case hexadecimal digits */
                trace_id: string;
                /** @description 16 hexadecimal digits */
                span_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheMissExplained"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.call_views": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description 32 lower-case hexadecimal digits */
                trace_id: string;
                /** @description 16 hexadecimal digits */
                span_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallViews"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.tool_costs": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description UUIDv7 */
                agent?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What a line is of */
                by?: "tool" | "server" | "agent";
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCostList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingSetting"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether sessions may be shared by links; while false no link opens */
                    enabled: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingSetting"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description As the client names it; with a `/`, `\` or leading `~` in it: `~` and base64url of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 168 */
                    expires_in_hours: number;
                    /**
                     * @description Show what was said too
                     * @default false
                     */
                    messages: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSessionShare"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at" | "expires_at";
                /** @description Of this session */
                session_id?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionShareList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "sharing.open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /**
                     * @description Calls on a page
                     * @default 50
                     */
                    limit: number;
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedSession"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at" | "updated_at" | "name";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description Which of Spotlight’s reads: `GET /v1/spotlight/{read}`
                     * @enum {string}
                     */
                    read: "overview" | "timeseries" | "tools" | "resources" | "prompts" | "servers" | "agents" | "models" | "users" | "clients" | "sessions" | "errors";
                    /**
                     * @description How far back from the moment it is asked
                     * @enum {string}
                     */
                    range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d";
                    filter?: components["schemas"]["QuestionFilter"];
                    /** @description Also the range before; for `overview` */
                    compare?: boolean;
                    /**
                     * @description Of lists: the largest first
                     * @enum {string}
                     */
                    sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    /**
                     * @description Which of Spotlight’s reads: `GET /v1/spotlight/{read}`
                     * @enum {string}
                     */
                    read?: "overview" | "timeseries" | "tools" | "resources" | "prompts" | "servers" | "agents" | "models" | "users" | "clients" | "sessions" | "errors";
                    /**
                     * @description How far back from the moment it is asked
                     * @enum {string}
                     */
                    range?: "15m" | "1h" | "6h" | "24h" | "7d" | "30d";
                    filter?: components["schemas"]["QuestionFilter"];
                    /** @description Also the range before; for `overview` */
                    compare?: boolean;
                    /**
                     * @description Of lists: the largest first
                     * @enum {string}
                     */
                    sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "questions.answer": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionAnswer"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description `status`, descending: those that fire first */
                sort?: "created_at" | "updated_at" | "name" | "status";
                /** @description Only those in this state */
                status?: "ok" | "firing" | "no_data" | "unknown";
                /** @description Only those on this question */
                question_id?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    question_id: string;
                    /** @enum {string} */
                    figure: "calls" | "errors" | "error_rate" | "latency_p50_ms" | "latency_p95_ms" | "latency_p99_ms" | "tokens" | "cost_usd" | "unpriced_calls" | "sessions" | "users";
                    /** @enum {string} */
                    condition: "above" | "below" | "rise" | "fall" | "no_data";
                    threshold?: number | null;
                    /** @description How long it must hold before it fires, and be over before it is resolved */
                    for_s?: number;
                    /** @description How often it is judged */
                    interval_s?: number;
                    /** @description Who is told by e-mail */
                    emails?: string[];
                    enabled?: boolean;
                    muted_until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @enum {string} */
                    kind?: "question" | "server_down" | "definition_changed" | "error_spike" | "spend_spike" | "agent_loop";
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    question_id?: string | null;
                    figure?: ("calls" | "errors" | "error_rate" | "latency_p50_ms" | "latency_p95_ms" | "latency_p99_ms" | "tokens" | "cost_usd" | "unpriced_calls" | "sessions" | "users") | null;
                    condition?: ("above" | "below" | "rise" | "fall" | "no_data") | null;
                    threshold?: number | null;
                    /** @description How long it must hold before it fires, and be over before it is resolved */
                    for_s?: number;
                    /** @description How often it is judged */
                    interval_s?: number;
                    /** @description Who is told by e-mail */
                    emails?: string[];
                    enabled?: boolean;
                    muted_until?: string | null;
                    state?: components["schemas"]["AlertState"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.history": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "alerts.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.logs": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description Only records at least as severe: 9 is INFO, 13 WARN, 17 ERROR */
                severity_min?: number;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description Only events of this name */
                event_name?: string;
                /** @description Only records whose body contains this, in any case */
                text?: string;
                /** @description 32 lower-case hexadecimal digits */
                trace_id?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.metrics": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.spans": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description From this source */
                source?: "otlp" | "gateway" | "model_proxy";
                /** @description Of this kind */
                kind?: "tool_call" | "mcp" | "model_call" | "other";
                /** @description With this status */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description Of this MCP server */
                server_id?: string;
                /** @description Only calls that came with this key */
                credential_id?: string;
                /** @description Of this tool */
                tool?: string;
                /** @description Of this session */
                session_id?: string;
                /** @description For this person, as the client names them */
                user_id?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description Only tool calls and model calls; `failed`: that failed, were refused or have no outcome */
                calls?: "all" | "failed";
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.trace": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description 32 lower-case hexadecimal digits */
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.recorder": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecorderState"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.traces": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description From this source */
                source?: "otlp" | "gateway" | "model_proxy";
                /** @description Of this kind */
                kind?: "tool_call" | "mcp" | "model_call" | "other";
                /** @description With this status */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description Of this MCP server */
                server_id?: string;
                /** @description Only calls that came with this key */
                credential_id?: string;
                /** @description Of this tool */
                tool?: string;
                /** @description Of this session */
                session_id?: string;
                /** @description For this person, as the client names them */
                user_id?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description Only tool calls and model calls; `failed`: that failed, were refused or have no outcome */
                calls?: "all" | "failed";
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.resources": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TelemetryResourceList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.messages": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description 32 lower-case hexadecimal digits */
                trace_id: string;
                /** @description 16 hexadecimal digits */
                span_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarriedMessages"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.tool_links": {
        parameters: {
            query: {
                /** @description Of this session */
                session_id: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolLinks"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.points": {
        parameters: {
            query: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Its name */
                metric: string;
                /** @description `rate` is growth a second; `p50` to `p99` are of histograms, or of the values of a gauge; `sum` and `count` of a histogram are of what it observed */
                aggregate?: "avg" | "sum" | "min" | "max" | "last" | "count" | "rate" | "p50" | "p75" | "p90" | "p95" | "p99";
                /** @description Attributes, of the points or their resource; may be repeated */
                group_by?: string[];
                /** @description By default such that there are at most 120 */
                interval_ms?: number;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricPoints"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "scores.list": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
                /** @description The trace that is judged */
                trace_id?: string;
                /** @description One call of the trace; needs `trace_id` */
                span_id?: string;
                /** @description The session that is judged, or that the trace is of */
                session_id?: string;
                /** @description The name of it, as its list shows it */
                name?: string;
                /** @description From this source */
                source?: "person" | "model" | "code" | "end_user";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "scores.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The trace that is judged */
                    trace_id?: string;
                    /** @description One call of the trace; needs `trace_id` */
                    span_id?: string;
                    /** @description The session that is judged, or that the trace is of */
                    session_id?: string;
                    /** @description What is judged: `helpfulness` */
                    name: string;
                    /** @description A number, yes or no, a category, or null: a comment alone */
                    value?: number | boolean | string | null;
                    comment?: string;
                    /**
                     * @description `person` for signed-in people and `code` for tokens, if not said
                     * @enum {string}
                     */
                    source?: "person" | "model" | "code" | "end_user";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Score"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "langfuse.projects": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LangfuseProjects"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "langfuse.ingestion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    batch: {
                        id: string;
                        type: string;
                        timestamp?: string;
                        /** @description Of `score-create`: a score */
                        body?: unknown;
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            207: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LangfuseIngestion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "langfuse.scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LangfuseScore"] | components["schemas"]["LangfuseScore"][];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LangfuseScoreId"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "name" | "created_at" | "updated_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionRuleList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description In the syntax of RE2: no look-around, no back-references. Matches are of up to 512 characters
                     * @example EMP-[0-9]{6}
                     */
                    pattern: string;
                    /**
                     * @description What is found is replaced by `[redacted:label]`
                     * @example staff_number
                     */
                    label: string;
                    /** @description `content`: prompts, answers, arguments and results of tools; `attributes`: those named in `attribute_keys`; `log_bodies`; `all`: these, every other attribute, and names and status messages of spans */
                    applies_to: ("content" | "attributes" | "log_bodies" | "all")[];
                    /** @description For `attributes`, else empty; a star at the end stands for all keys that begin so */
                    attribute_keys?: string[];
                    ingest_token_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionRule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                    /**
                     * @description In the syntax of RE2: no look-around, no back-references. Matches are of up to 512 characters
                     * @example EMP-[0-9]{6}
                     */
                    pattern?: string;
                    /**
                     * @description What is found is replaced by `[redacted:label]`
                     * @example staff_number
                     */
                    label?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionTrial"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionRule"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "redaction-rules.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    /**
                     * @description In the syntax of RE2: no look-around, no back-references. Matches are of up to 512 characters
                     * @example EMP-[0-9]{6}
                     */
                    pattern?: string;
                    /**
                     * @description What is found is replaced by `[redacted:label]`
                     * @example staff_number
                     */
                    label?: string;
                    /** @description `content`: prompts, answers, arguments and results of tools; `attributes`: those named in `attribute_keys`; `log_bodies`; `all`: these, every other attribute, and names and status messages of spans */
                    applies_to?: ("content" | "attributes" | "log_bodies" | "all")[];
                    /** @description For `attributes`, else empty; a star at the end stands for all keys that begin so */
                    attribute_keys?: string[];
                    ingest_token_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionRule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "retention.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "retention.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    traces_days: (1 | 7 | 30 | 90 | 365) | null;
                    logs_days: (1 | 7 | 30 | 90 | 365) | null;
                    metrics_days: (1 | 7 | 30 | 90 | 365) | null;
                    /** @description `SIGNALBOX_RETENTION_DAYS` */
                    instance_days?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry-erasures.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry-erasures.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    session_id?: string;
                    user_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry-renormalisations.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenormalisationList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry-renormalisations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description RFC 3339, or how long ago (`-30d`)
                     * @example -30d
                     */
                    start?: string;
                    /**
                     * @description RFC 3339, or how long ago (`-30d`)
                     * @example -30d
                     */
                    end?: string;
                    dialect?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Renormalisation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "call-recording.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecording"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "call-recording.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What becomes of a tool or model call while the telemetry log is full: `required` refuses it with 503 before anything happens, `best-effort` serves it without a record and counts the gap
                     * @enum {string}
                     */
                    mode: "required" | "best-effort";
                    /** @description Whether arguments and results of tool calls are recorded: redacted, at most 16 KiB each. A server may say otherwise in its `configuration` */
                    tool_content?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecording"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at" | "updated_at" | "url";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example https://example.org/hooks/signalbox */
                    url: string;
                    /** @description Types of events, `area.*`, or `*`; docs/events.md lists them */
                    events: ("*" | "agents.*" | "servers.*" | "access.*" | "toolsets.*" | "access-requests.*" | "approvals.*" | "keys.*" | "ingest-tokens.*" | "tool-definitions.*" | "provider-keys.*" | "upstream-credentials.*" | "authorizations.*" | "routes.*" | "hooks.*" | "budgets.*" | "model-limits.*" | "prices.*" | "ledger.*" | "questions.*" | "alerts.*" | "webhooks.*" | "forwarders.*" | "call-recording.*" | "sharing.*" | "telemetry-erasures.*" | "telemetry-renormalisations.*" | "redaction-rules.*" | "retention.*" | "limits.*" | "members.*" | "invitations.*" | "workspaces.*" | "auth.*" | "settings.*" | "instance.*" | "server.*" | "tool.*" | "approval.*" | "budget.*" | "telemetry.*" | "alert.*" | "webhook.*" | "agents.create" | "agents.update" | "agents.delete" | "agents.pause" | "agents.resume" | "agents.stop" | "agents.start" | "servers.create" | "servers.update" | "servers.delete" | "servers.refresh-tools" | "servers.call-tool" | "servers.update-program" | "servers.accept-without-sandbox" | "servers.withdraw-acceptance" | "servers.restart-program" | "servers.install-program" | "access.create" | "access.update" | "access.delete" | "toolsets.create" | "toolsets.update" | "toolsets.delete" | "access-requests.create" | "access-requests.grant" | "access-requests.decline" | "approvals.request" | "approvals.approve" | "approvals.deny" | "approvals.revoke" | "approvals.expire" | "keys.create" | "keys.update" | "keys.rotate" | "keys.cancel-rotation" | "keys.activate" | "keys.revoke" | "ingest-tokens.create" | "ingest-tokens.update" | "ingest-tokens.rotate" | "ingest-tokens.cancel-rotation" | "ingest-tokens.activate" | "ingest-tokens.revoke" | "tool-definitions.decide" | "provider-keys.create" | "provider-keys.update" | "provider-keys.test" | "provider-keys.delete" | "upstream-credentials.replace" | "upstream-credentials.connect" | "upstream-credentials.disconnect" | "authorizations.create" | "authorizations.revoke" | "routes.create" | "routes.update" | "routes.delete" | "hooks.create" | "hooks.update" | "hooks.delete" | "hooks.rotate-secret" | "budgets.create" | "budgets.update" | "budgets.delete" | "model-limits.create" | "model-limits.update" | "model-limits.delete" | "prices.create" | "prices.end" | "ledger.reprice" | "questions.create" | "questions.update" | "questions.delete" | "alerts.create" | "alerts.update" | "alerts.test" | "alerts.delete" | "webhooks.create" | "webhooks.update" | "webhooks.delete" | "webhooks.rotate-secret" | "webhooks.test" | "webhooks.replay" | "webhooks.disable" | "forwarders.create" | "forwarders.update" | "forwarders.delete" | "forwarders.test" | "call-recording.replace" | "sharing.replace" | "sharing.create" | "sharing.revoke" | "telemetry-erasures.create" | "telemetry-renormalisations.create" | "redaction-rules.create" | "redaction-rules.update" | "redaction-rules.delete" | "retention.replace" | "limits.replace" | "members.add" | "members.update" | "members.remove" | "members.leave" | "invitations.create" | "invitations.resend" | "invitations.revoke" | "invitations.accept" | "workspaces.create" | "workspaces.update" | "auth.setup" | "auth.register" | "auth.login" | "auth.logout" | "auth.switch" | "auth.verify" | "auth.forgot_password" | "auth.reset_password" | "auth.change_password" | "auth.link_identity" | "auth.unlink_identity" | "auth.revoke_session" | "settings.update" | "instance.rights" | "instance.grant_operator" | "instance.revoke_operator" | "instance.rotate-master-key" | "instance.rotate-signing-keys" | "instance.confirm-clock" | "server.health_changed" | "tool.definition_changed" | "tool.suspended" | "tool.approved" | "approval.requested" | "approval.approved" | "approval.denied" | "approval.expired" | "budget.threshold" | "budget.exhausted" | "telemetry.dropped" | "alert.firing" | "alert.resolved" | "alert.test" | "webhook.test")[];
                    description?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    disabled_reason?: string | null;
                    failing_since?: string | null;
                    old_secret_expires_at?: string | null;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    /** @example https://example.org/hooks/signalbox */
                    url?: string;
                    /** @description Types of events, `area.*`, or `*`; docs/events.md lists them */
                    events?: ("*" | "agents.*" | "servers.*" | "access.*" | "toolsets.*" | "access-requests.*" | "approvals.*" | "keys.*" | "ingest-tokens.*" | "tool-definitions.*" | "provider-keys.*" | "upstream-credentials.*" | "authorizations.*" | "routes.*" | "hooks.*" | "budgets.*" | "model-limits.*" | "prices.*" | "ledger.*" | "questions.*" | "alerts.*" | "webhooks.*" | "forwarders.*" | "call-recording.*" | "sharing.*" | "telemetry-erasures.*" | "telemetry-renormalisations.*" | "redaction-rules.*" | "retention.*" | "limits.*" | "members.*" | "invitations.*" | "workspaces.*" | "auth.*" | "settings.*" | "instance.*" | "server.*" | "tool.*" | "approval.*" | "budget.*" | "telemetry.*" | "alert.*" | "webhook.*" | "agents.create" | "agents.update" | "agents.delete" | "agents.pause" | "agents.resume" | "agents.stop" | "agents.start" | "servers.create" | "servers.update" | "servers.delete" | "servers.refresh-tools" | "servers.call-tool" | "servers.update-program" | "servers.accept-without-sandbox" | "servers.withdraw-acceptance" | "servers.restart-program" | "servers.install-program" | "access.create" | "access.update" | "access.delete" | "toolsets.create" | "toolsets.update" | "toolsets.delete" | "access-requests.create" | "access-requests.grant" | "access-requests.decline" | "approvals.request" | "approvals.approve" | "approvals.deny" | "approvals.revoke" | "approvals.expire" | "keys.create" | "keys.update" | "keys.rotate" | "keys.cancel-rotation" | "keys.activate" | "keys.revoke" | "ingest-tokens.create" | "ingest-tokens.update" | "ingest-tokens.rotate" | "ingest-tokens.cancel-rotation" | "ingest-tokens.activate" | "ingest-tokens.revoke" | "tool-definitions.decide" | "provider-keys.create" | "provider-keys.update" | "provider-keys.test" | "provider-keys.delete" | "upstream-credentials.replace" | "upstream-credentials.connect" | "upstream-credentials.disconnect" | "authorizations.create" | "authorizations.revoke" | "routes.create" | "routes.update" | "routes.delete" | "hooks.create" | "hooks.update" | "hooks.delete" | "hooks.rotate-secret" | "budgets.create" | "budgets.update" | "budgets.delete" | "model-limits.create" | "model-limits.update" | "model-limits.delete" | "prices.create" | "prices.end" | "ledger.reprice" | "questions.create" | "questions.update" | "questions.delete" | "alerts.create" | "alerts.update" | "alerts.test" | "alerts.delete" | "webhooks.create" | "webhooks.update" | "webhooks.delete" | "webhooks.rotate-secret" | "webhooks.test" | "webhooks.replay" | "webhooks.disable" | "forwarders.create" | "forwarders.update" | "forwarders.delete" | "forwarders.test" | "call-recording.replace" | "sharing.replace" | "sharing.create" | "sharing.revoke" | "telemetry-erasures.create" | "telemetry-renormalisations.create" | "redaction-rules.create" | "redaction-rules.update" | "redaction-rules.delete" | "retention.replace" | "limits.replace" | "members.add" | "members.update" | "members.remove" | "members.leave" | "invitations.create" | "invitations.resend" | "invitations.revoke" | "invitations.accept" | "workspaces.create" | "workspaces.update" | "auth.setup" | "auth.register" | "auth.login" | "auth.logout" | "auth.switch" | "auth.verify" | "auth.forgot_password" | "auth.reset_password" | "auth.change_password" | "auth.link_identity" | "auth.unlink_identity" | "auth.revoke_session" | "settings.update" | "instance.rights" | "instance.grant_operator" | "instance.revoke_operator" | "instance.rotate-master-key" | "instance.rotate-signing-keys" | "instance.confirm-clock" | "server.health_changed" | "tool.definition_changed" | "tool.suspended" | "tool.approved" | "approval.requested" | "approval.approved" | "approval.denied" | "approval.expired" | "budget.threshold" | "budget.exhausted" | "telemetry.dropped" | "alert.firing" | "alert.resolved" | "alert.test" | "webhook.test")[];
                    description?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWebhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.rotate-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                /** @description With this status */
                status?: "pending" | "delivered" | "failed";
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "webhooks.replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "created_at" | "updated_at" | "name";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForwarderList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    kind: "otlp" | "syslog";
                    /**
                     * @description OTLP/HTTP: the address that `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended to. Syslog: `tls://host:port` or `tcp://host:port`
                     * @example https://collector.example.org:4318
                     * @example tls://siem.example.org:6514
                     */
                    url: string;
                    /** @description What is sent; syslog takes `audit` alone */
                    signals: ("spans" | "metrics" | "logs" | "audit")[];
                    /** @description Sent with every OTLP request, as `authorization`; sealed, and bound to the origin of the address */
                    headers?: {
                        [key: string]: string;
                    };
                    filter?: components["schemas"]["ForwarderFilter"];
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forwarder"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forwarder"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /** @enum {string} */
                    kind?: "otlp" | "syslog";
                    /** @description Names of the stored headers; values are never shown */
                    header_names?: string[];
                    state?: components["schemas"]["ForwarderState"][];
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                    /**
                     * @description OTLP/HTTP: the address that `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended to. Syslog: `tls://host:port` or `tcp://host:port`
                     * @example https://collector.example.org:4318
                     * @example tls://siem.example.org:6514
                     */
                    url?: string;
                    /** @description What is sent; syslog takes `audit` alone */
                    signals?: ("spans" | "metrics" | "logs" | "audit")[];
                    /** @description Sent with every OTLP request, as `authorization`; sealed, and bound to the origin of the address */
                    headers?: {
                        [key: string]: string;
                    };
                    filter?: components["schemas"]["ForwarderFilter"];
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forwarder"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "forwarders.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForwarderTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "limits.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "limits.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    limits: {
                        /**
                         * @description `api`: the platform API; `mcp`, `model` and `otlp`: the data plane; `anonymous`: public endpoints and failed authentication
                         * @enum {string}
                         */
                        class: "api" | "anonymous" | "mcp" | "model" | "otlp";
                        requests: number | null;
                        window_s: number | null;
                        /**
                         * @description Whose requests are counted together
                         * @enum {string}
                         */
                        per?: "credential" | "address";
                        /**
                         * @description Who set it
                         * @enum {string}
                         */
                        source?: "default" | "operator" | "workspace";
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "audit.list": {
        parameters: {
            query?: {
                /** @description By this actor: id or name */
                actor?: string;
                /** @description `area.verb`, or `area.*` for all of an area */
                action?: string;
                /** @description Of the thing with this id */
                target?: string;
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "audit.verify": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "denials.list": {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The `next_cursor` of the answer before; the first page without it */
                cursor?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DenialList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            400: components["responses"]["Problem400"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    setup_token: string;
                    /** @description E-mail address */
                    email: string;
                    password: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                    password: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    refresh_token?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    workspace_id: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.me": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.sessions": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["LiveSession"][];
                    };
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.sessions.end": {
        parameters: {
            query?: {
                /** @description Whether the session that asks stays */
                keep_current?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.sessions.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.jwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            400: components["responses"]["Problem400"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#token=` in the link; single use */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedAddress"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.verify.resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.password.forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.password.reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#token=` in the link; single use */
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.password.change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.oauth.start": {
        parameters: {
            query?: {
                /** @description Where to go afterwards: a path below `/ui/`; anything else leads to `/ui/` */
                return_to?: string;
            };
            header?: never;
            path: {
                /** @description Id of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.oauth.callback": {
        parameters: {
            query?: {
                /** @description The authorization code of the provider */
                code?: string;
                /** @description The state that the sign-in began with */
                state?: string;
                /** @description The issuer that answers (RFC 9207) */
                iss?: string;
                /** @description The error of the provider, in place of a code */
                error?: string;
            };
            header?: never;
            path: {
                /** @description Id of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.oauth.link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Where to go afterwards: a path below `/ui/`; anything else leads to `/ui/` */
                    return_to?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkStart"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.identities": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        identities: components["schemas"]["LinkedIdentity"][];
                    };
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "auth.identities.unlink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "mail-links.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailLinkList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "workspaces.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description The field to sort by */
                sort?: "name" | "created_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "workspaces.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "workspaces.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "workspaces.delete": {
        parameters: {
            query: {
                /** @description The name of the workspace, repeated */
                confirm: string;
            };
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "workspaces.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    id?: string;
                    /**
                     * @description Short name in the addresses of the dashboard, `/ui/w/{slug}/…`; a rename keeps it
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * @description Of the person who asks
                     * @enum {string}
                     */
                    role?: "viewer" | "auditor" | "member" | "admin" | "owner";
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    created_at?: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    updated_at?: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "demo.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Demo"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "demo.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Demo"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "demo.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "members.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description Part of the name or e-mail address */
                q?: string;
                /** @description With this role */
                role?: "viewer" | "auditor" | "member" | "admin" | "owner";
                /** @description The field to sort by */
                sort?: "email" | "joined_at";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "members.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    user_id?: string;
                    email?: string;
                    name?: string;
                    /** @description Whether the person has shown that the mailbox is theirs */
                    verified?: boolean;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    joined_at?: string;
                    /** @enum {string} */
                    role: "viewer" | "auditor" | "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.list": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                    /**
                     * @default member
                     * @enum {string}
                     */
                    role: "viewer" | "auditor" | "member" | "admin" | "owner";
                    /** @default 7 */
                    expires_in_days: number;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.resend": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
                /** @description UUIDv7 */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#token=` in the link; single use */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPreview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "invitations.accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#token=` in the link; single use */
                    token: string;
                    name?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "settings.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "settings.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    signup?: {
                        value: ("open" | "invite" | "closed") | null;
                        /**
                         * @description `environment`: set by a variable of the program, and read-only here
                         * @enum {string}
                         */
                        source?: "default" | "environment" | "stored";
                    };
                    loopback_targets?: {
                        value: boolean | null;
                        /**
                         * @description `environment`: set by a variable of the program, and read-only here
                         * @enum {string}
                         */
                        source?: "default" | "environment" | "stored";
                    };
                    private_networks?: {
                        value: string[] | null;
                        /**
                         * @description `environment`: set by a variable of the program, and read-only here
                         * @enum {string}
                         */
                        source?: "default" | "environment" | "stored";
                    };
                    stdio_programs?: {
                        value: boolean | null;
                        /**
                         * @description `environment`: set by a variable of the program, and read-only here
                         * @enum {string}
                         */
                        source?: "default" | "environment" | "stored";
                    };
                    stdio_programs_default?: {
                        value: boolean | null;
                        /**
                         * @description `environment`: set by a variable of the program, and read-only here
                         * @enum {string}
                         */
                        source?: "default" | "environment" | "stored";
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.workspaces": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
                /** @description Part of the name */
                q?: string;
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceWorkspaceList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.rights": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUIDv7 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceRights"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceWorkspace"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.operators": {
        parameters: {
            query?: {
                /** @description Which page */
                page?: number;
                /** @description Objects on a page */
                limit?: number;
                /** @description Direction of the sort */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.master-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MasterKey"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.rotate-master-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MasterKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.signing-keys": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.rotate-signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    immediate?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.clock": {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` from before: 304 without a body when nothing changed. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceClock"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "instance.confirm-clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceClock"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "system.livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "system.healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "system.readyz": {
        parameters: {
            query?: {
                /** @description Any value: name each check */
                verbose?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "system.version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            400: components["responses"]["Problem400"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "events.stream": {
        parameters: {
            query?: {
                /** @description Types or `area.*`, with commas between them */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.export_spans": {
        parameters: {
            query?: {
                /** @description `otlp`: a line for each export request in the JSON form of OTLP */
                format?: "jsonl" | "csv" | "otlp";
                /** @description Rows at most */
                limit?: number;
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description From this source */
                source?: "otlp" | "gateway" | "model_proxy";
                /** @description Of this kind */
                kind?: "tool_call" | "mcp" | "model_call" | "other";
                /** @description With this status */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description Of this agent */
                agent_uuid?: string;
                /** @description Of this MCP server */
                server_id?: string;
                /** @description Only calls that came with this key */
                credential_id?: string;
                /** @description Of this tool */
                tool?: string;
                /** @description Of this session */
                session_id?: string;
                /** @description For this person, as the client names them */
                user_id?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description Only tool calls and model calls; `failed`: that failed, were refused or have no outcome */
                calls?: "all" | "failed";
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.export_logs": {
        parameters: {
            query?: {
                /** @description `otlp`: a line for each export request in the JSON form of OTLP */
                format?: "jsonl" | "csv" | "otlp";
                /** @description Rows at most */
                limit?: number;
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only records at least as severe: 9 is INFO, 13 WARN, 17 ERROR */
                severity_min?: number;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description Only events of this name */
                event_name?: string;
                /** @description Only records whose body contains this, in any case */
                text?: string;
                /** @description 32 lower-case hexadecimal digits */
                trace_id?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "telemetry.export_metrics": {
        parameters: {
            query?: {
                /** @description `otlp`: a line for each export request in the JSON form of OTLP */
                format?: "jsonl" | "csv" | "otlp";
                /** @description Rows at most */
                limit?: number;
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only data points of this metric */
                metric?: string;
                /** @description Only of this `service.name` */
                service?: string;
                /** @description May be repeated; each must hold. Of an attribute, or that of the resource: `key=text` is this text, `key!=text` is not (or is absent), `key~=text` contains it in any case, `key<5`, `<=`, `>`, `>=` compare numbers, `key` is there, `!key` is absent */
                attribute?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "audit.export": {
        parameters: {
            query?: {
                /** @description Form of the file */
                format?: "jsonl" | "csv";
                /** @description By this actor: id or name */
                actor?: string;
                /** @description `area.verb`, or `area.*` for all of an area */
                action?: string;
                /** @description Of the thing with this id */
                target?: string;
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.export": {
        parameters: {
            query: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description Only calls of this kind; `mcp`: in place of calls what else MCP servers were asked, such as resources and prompts */
                kind?: "tool_call" | "model_call" | "mcp";
                /** @description Only calls that ended so */
                status?: "ok" | "error" | "denied" | "cut" | "interrupted" | "unset";
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Only calls of this tool, by the server's own name */
                tool?: string;
                /** @description Only calls of models of this provider */
                provider?: string;
                /** @description Only calls of this model, as it was served */
                model?: string;
                /** @description Only calls over this connection */
                connection?: string;
                /** @description Only calls for this person, as the client names them */
                user?: string;
                /** @description Only calls of this session */
                session?: string;
                /** @description Only calls of this client program, `name/version` */
                client?: string;
                /** @description Only calls that failed in this way */
                error_type?: string;
                /** @description Only requests about this resource of an MCP server, by its URI */
                resource?: string;
                /** @description Only requests about this prompt of an MCP server, by its name */
                prompt?: string;
                /** @description May be repeated; each must hold. As for `attribute`, of these fields too: kind, status, agent, agent_name, server, server_name, tool, provider, model, model_requested, connection, user, session, client, error_type, status_message, service, duration_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, name, source, dialect, mcp_method, key, http_status, resource, prompt, request_bytes, response_bytes, time_to_first_token_ms. Any other name is that of an attribute, and so is `@name` */
                filter?: string[];
                /** @description What each line is put together by, beside what the list is by: fields and attributes, named as in `filter`; may be repeated */
                group_by?: string[];
                /** @description Also the figures of the range before, which is as long */
                compare?: "previous";
                /** @description Largest first, or moved most */
                sort?: "calls" | "errors" | "error_rate" | "p95" | "tokens" | "cost" | "last_seen" | "calls_change" | "errors_change" | "error_rate_change" | "p95_change" | "tokens_change" | "cost_change";
                /** @description How many at most */
                limit?: number;
                /** @description Which list */
                list: "tools" | "resources" | "prompts" | "servers" | "agents" | "models" | "users" | "clients" | "sessions" | "errors" | "usage" | "timeseries";
                /** @description Form of the file */
                format?: "csv" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    "spotlight.mcp_export": {
        parameters: {
            query: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                /** @description How many at most */
                limit?: number;
                /** @description UUIDv7 */
                agent?: string;
                /** @description UUIDv7 */
                server?: string;
                /** @description Which finding */
                question: "tool_selection" | "definition_changes" | "invalid_arguments" | "retry_loops" | "overlaps" | "unregistered_servers";
                /** @description Form of the file */
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
}
