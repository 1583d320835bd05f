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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `servers:read`.
         */
        get: operations["servers.list"];
        put?: never;
        /**
         * Register an MCP server by URL; it is checked at once, for at most 3 s
         * @description Needs a person with the role `admin` or above, or a key with the scope `servers:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `servers:read`.
         */
        get: operations["servers.get"];
        /**
         * Replace what can be set of an MCP server; stored headers stay when none are given
         * @description What GET returned can be sent back: read-only fields are accepted when they are unchanged. `status` moves between `active` and `inactive`.
         *
         *     Needs a person with the role `admin` or above, or a key with the scope `servers:write`.
         */
        put: operations["servers.replace"];
        post?: never;
        /**
         * Delete an MCP server; with live grants only by `force=true`
         * @description Needs a person with the role `admin` or above, or a key with the scope `servers:write`.
         */
        delete: operations["servers.delete"];
        options?: never;
        head?: never;
        /**
         * Change an MCP server; a new origin erases its stored headers
         * @description What GET returned can be sent back: read-only fields are accepted when they are unchanged. `status` moves between `active` and `inactive`.
         *
         *     Needs a person with the role `admin` or above, or a key with the scope `servers:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `servers:read`.
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
         * @description Needs a person with the role `member` or above, or a key with the scope `servers:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `servers:read`.
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
    "/agent/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Needs a person with the role `viewer` or above, or a key with the scope `agents:read`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `agents:read`.
         */
        get: operations["agents.list"];
        put?: never;
        /**
         * Create an agent; it is active at once
         * @description Needs a person with the role `member` or above, or a key with the scope `agents:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `agents:read`.
         */
        get: operations["agents.get"];
        put?: never;
        post?: never;
        /**
         * Delete an agent with its keys and grants
         * @description Needs a person with the role `admin` or above, or a key with the scope `agents:write`.
         */
        delete: operations["agents.delete"];
        options?: never;
        head?: never;
        /**
         * Change the name or description of an agent
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `member` or above, or a key with the scope `agents:write`.
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
         * @description Needs a person with the role `member` or above, or a key with the scope `agents:write`.
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
         * @description Needs a person with the role `member` or above, or a key with the scope `agents:write`.
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
         * @description Needs a person with the role `member` or above, or a key with the scope `agents:write`.
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
         * @description Needs a person with the role `member` or above, or a key with the scope `agents:write`.
         */
        post: operations["agents.start"];
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
        get?: never;
        put?: never;
        /**
         * Create a key that acts as this agent; the secret is shown once
         * @description Needs a person with the role `admin` or above, or a key with the scope `keys:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `access:read`.
         */
        get: operations["access.list"];
        put?: never;
        /**
         * Grant an agent all or selected tools of this server
         * @description Needs a person with the role `admin` or above, or a key with the scope `access:write`.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take the access away
         * @description Needs a person with the role `admin` or above, or a key with the scope `access:write`.
         */
        delete: operations["access.delete"];
        options?: never;
        head?: never;
        /**
         * Change a grant; effective within 1 s, running streams included
         * @description Read-only fields are accepted when they are unchanged.
         *
         *     Needs a person with the role `admin` or above, or a key with the scope `access:write`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `access:read`.
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
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List platform and agent keys
         * @description Needs a person with the role `viewer` or above, or a key with the scope `keys:read`.
         */
        get: operations["keys.list"];
        put?: never;
        /**
         * Create a platform key, or with `agent_uuid` a key that acts as that agent
         * @description Needs a person with the role `admin` or above, or a key with the scope `keys:write`.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key; running streams are cut
         * @description Needs a person with the role `admin` or above, or a key with the scope `keys:write`.
         */
        delete: operations["keys.revoke"];
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `keys:read`.
         */
        get: operations["ingest-tokens.list"];
        put?: never;
        /**
         * Create a write-only token for telemetry
         * @description Needs a person with the role `admin` or above, or a key with the scope `keys:write`.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an ingest token
         * @description Needs a person with the role `admin` or above, or a key with the scope `keys:write`.
         */
        delete: operations["ingest-tokens.revoke"];
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `provider-keys:read`.
         */
        get: operations["provider-keys.list"];
        put?: never;
        /**
         * Store a provider key, sealed and bound to its provider and origin
         * @description Needs a person with the role `admin` or above, or a key with the scope `provider-keys:write`.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a connection
         * @description Needs a person with the role `admin` or above, or a key with the scope `provider-keys:write`.
         */
        delete: operations["provider-keys.delete"];
        options?: never;
        head?: never;
        /**
         * Change a connection; a new origin erases the stored key unless a new one comes with it
         * @description Needs a person with the role `admin` or above, or a key with the scope `provider-keys:write`.
         */
        patch: operations["provider-keys.update"];
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `spotlight:read`.
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
         * Calls and errors over time, in at most 120 equal buckets
         * @description Needs a person with the role `viewer` or above, or a key with the scope `spotlight:read`.
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
    "/v1/telemetry/spans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded spans, newest first
         * @description Needs a person with the role `viewer` or above, or a key with the scope `telemetry:read`.
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
         * @description Needs a person with the role `viewer` or above, or a key with the scope `telemetry:read`.
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
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what, and which management calls were denied; newest first
         * @description Needs a person with the role `admin` or above, or a key with the scope `audit:read`.
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
         * @description Needs a person with the role `viewer` or above.
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
         * @description Needs a person with the role `viewer` or above.
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
         * @description Needs a person with the role `viewer` or above.
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
         * @description Needs a person with the role `viewer` or above.
         */
        get: operations["auth.sessions"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Needs a person with the role `viewer` or above.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
            enabled: boolean;
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
            /** @description Servers that the agent has an enabled grant on */
            mcp_server_count: number;
            last_seen_at: string | null;
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
            enabled: boolean;
        };
        /** AgentAccessList */
        AgentAccessList: {
            access: components["schemas"]["AgentAccess"][];
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
            /** @description `area.verb`, or `denied` */
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
        /** EffectiveAccess */
        EffectiveAccess: {
            grant: components["schemas"]["AccessGrant"];
            server: components["schemas"]["ServerSummary"];
            tools: components["schemas"]["ToolVerdict"][];
        };
        /** EffectiveAccessList */
        EffectiveAccessList: {
            access: components["schemas"]["EffectiveAccess"][];
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
        /** IngestToken */
        IngestToken: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
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
            expires_at: string | null;
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
            name: string;
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
            expires_at: string | null;
            scopes: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
            agent_uuid: string | null;
        };
        /** Latency */
        Latency: {
            p50: number | null;
            p95: number | null;
            p99: number | null;
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
            /** @enum {string} */
            transport_type: "http" | "sse" | "stdio";
            /** @enum {string} */
            hosting_mode: "remote" | "hosted";
            /** @enum {string} */
            status: "active" | "inactive" | "deploying" | "error";
            /** @enum {string} */
            health_status: "unknown" | "healthy" | "degraded" | "unhealthy";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_health_check: string;
            configuration: {
                [key: string]: unknown;
            };
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
            /** @enum {string} */
            transport_type: "http" | "sse" | "stdio";
            /** @enum {string} */
            hosting_mode: "remote" | "hosted";
            /** @enum {string} */
            status: "active" | "inactive" | "deploying" | "error";
            /** @enum {string} */
            health_status: "unknown" | "healthy" | "degraded" | "unhealthy";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-11-21T08:30:00.000Z
             */
            last_health_check: string;
            configuration: {
                [key: string]: unknown;
            };
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
        /** NewIngestToken */
        NewIngestToken: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
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
            expires_at: string | null;
            /** @description The secret, shown only here */
            token: string;
        };
        /** NewKey */
        NewKey: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
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
            expires_at: string | null;
            scopes: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
            agent_uuid: string | null;
            /** @description The secret, shown only here */
            key: string;
        };
        /** Pagination */
        Pagination: {
            page: number;
            limit: number;
            total: number;
            total_pages: number;
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
            code: "invalid_request" | "invalid_json" | "invalid_host" | "invalid_path" | "ambiguous_credentials" | "unauthenticated" | "wrong_credentials" | "session_ended" | "forbidden" | "setup_required" | "setup_link_invalid" | "signup_closed" | "agent_required" | "agent_not_active" | "path_not_allowed" | "provider_key_missing" | "blocked_address" | "not_found" | "method_not_allowed" | "conflict" | "name_taken" | "grants_exist" | "body_too_large" | "unsupported_media_type" | "weak_password" | "headers_too_large" | "too_many_requests" | "internal" | "upstream_unreachable" | "recorder_full" | "stale_permissions" | "store_unavailable" | "shutting_down";
            request_id: string;
            errors?: {
                pointer: string;
                code: string;
                detail: string;
            }[];
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
            provider: "openai" | "anthropic" | "openai_compatible";
            base_url: string;
            last4: string | null;
            /** @enum {string} */
            status: "active" | "secret_missing";
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
        /** Readiness */
        Readiness: {
            status: string;
            checks?: {
                [key: string]: string;
            };
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
        /** SignInMethods */
        SignInMethods: {
            password: boolean;
            /** @enum {string} */
            signup: "open" | "invite" | "closed";
            setup_required: boolean;
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
            /** @enum {string} */
            status: "unset" | "ok" | "error" | "denied" | "interrupted";
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
            server: components["schemas"]["SpanServer"] | null;
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
            time_to_first_token_ms: number | null;
            http_status: number | null;
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
        /** SpanServer */
        SpanServer: {
            id: string;
            name: string;
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
            /** @description Tool calls and model calls */
            calls: number;
            errors: number;
            error_rate: number | null;
            latency_ms: components["schemas"]["Latency"];
            tool_calls: number;
            model_calls: number;
            tokens: components["schemas"]["TokenSums"];
            /** @description Sum of the priced calls, integer nano-dollars */
            cost_nano_usd: string;
            /** @description The same as decimal text */
            cost_usd: string;
            /** @description Model calls without a price: not in the sum */
            unpriced_calls: number;
            sessions: number;
            users: number;
        };
        /** Status */
        Status: {
            status: string;
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
        };
        /** ToolList */
        ToolList: {
            tools: components["schemas"]["Tool"][];
            refreshed_at: string | null;
        };
        /** ToolVerdict */
        ToolVerdict: {
            name: string;
            allowed: boolean;
            reason: string;
        };
        /** Trace */
        Trace: {
            trace_id: string;
            spans: components["schemas"]["Span"][];
            next_cursor: string | null;
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
        /** Version */
        Version: {
            version: string;
        };
        /** WorkspaceSummary */
        WorkspaceSummary: {
            /**
             * @description UUIDv7
             * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
             */
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
    };
    responses: {
        /** @description A failure, in the same shape everywhere */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "servers.list": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
                status?: "active" | "inactive" | "deploying" | "error";
                health_status?: "unknown" | "healthy" | "degraded" | "unhealthy";
                /** @description Part of the name */
                q?: string;
                sort?: "name" | "created_at" | "updated_at";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    slug?: string;
                    /** @description http or https address of the MCP endpoint */
                    url: string;
                    /** @enum {string} */
                    transport_type?: "http" | "sse";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    configuration?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.get": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.replace": {
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
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    last_health_check?: string;
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
                    /** @enum {string} */
                    status?: "active" | "inactive" | "deploying" | "error";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    configuration?: {
                        [key: string]: unknown;
                    };
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.delete": {
        parameters: {
            query?: {
                force?: boolean;
            };
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.update": {
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
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC, milliseconds
                     * @example 2026-11-21T08:30:00.000Z
                     */
                    last_health_check?: string;
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
                    /** @enum {string} */
                    status?: "active" | "inactive" | "deploying" | "error";
                    description?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    configuration?: {
                        [key: string]: unknown;
                    };
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.tools": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "servers.health": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.list-seed": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
                status?: "active" | "paused" | "stopped" | "error";
                /** @description Part of the name */
                q?: string;
                sort?: "name" | "created_at" | "updated_at";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.list": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
                status?: "active" | "paused" | "stopped" | "error";
                /** @description Part of the name */
                q?: string;
                sort?: "name" | "created_at" | "updated_at";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.get": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.delete": {
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.update": {
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
                    /** @description Servers that the agent has an enabled grant on */
                    mcp_server_count?: number;
                    last_seen_at?: string | null;
                    name?: string;
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "agents.create-key": {
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
                    name: string;
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "access.list": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAccessList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "access.create": {
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
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid: string;
                    /** @enum {string} */
                    access_mode?: "all" | "selected";
                    allowed_tools?: string[] | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrant"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "access.delete": {
        parameters: {
            query?: never;
            header?: never;
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "access.update": {
        parameters: {
            query?: never;
            header?: never;
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
                    /** @enum {string} */
                    access_mode?: "all" | "selected";
                    allowed_tools?: string[] | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrant"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "access.of-agent": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveAccessList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "keys.list": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
                /** @description UUIDv7 */
                agent_uuid?: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["Key"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    scopes?: ("agents:read" | "agents:write" | "servers:read" | "servers:write" | "access:read" | "access:write" | "keys:read" | "keys:write" | "provider-keys:read" | "provider-keys:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "budgets:read" | "budgets:write" | "spotlight:read" | "telemetry:read" | "audit:read" | "approvals:decide" | "proxy:invoke" | "mcp:invoke")[];
                    /**
                     * @description UUIDv7
                     * @example 0192f0c1-2d3e-7a4b-8c5d-6e7f80910213
                     */
                    agent_uuid?: string;
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "keys.revoke": {
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "ingest-tokens.list": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ingest_tokens: components["schemas"]["IngestToken"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "ingest-tokens.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewIngestToken"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "ingest-tokens.revoke": {
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "provider-keys.list": {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                order?: "asc" | "desc";
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKeyList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "provider-keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @enum {string} */
                    provider: "openai" | "anthropic" | "openai_compatible";
                    key: string;
                    base_url?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "provider-keys.delete": {
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "provider-keys.update": {
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
                    key?: string;
                    base_url?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "spotlight.overview": {
        parameters: {
            query?: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpotlightOverview"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "spotlight.timeseries": {
        parameters: {
            query?: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeseries"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "telemetry.spans": {
        parameters: {
            query?: {
                /** @description RFC 3339, or relative: -15m, -24h, -7d */
                start?: string;
                /** @description RFC 3339, or relative; now when absent */
                end?: string;
                limit?: number;
                cursor?: string;
                source?: "otlp" | "gateway" | "model_proxy";
                kind?: "tool_call" | "mcp" | "model_call" | "other";
                status?: "unset" | "ok" | "error" | "denied" | "interrupted";
                agent_uuid?: string;
                server_id?: string;
                tool?: string;
                session_id?: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanList"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "telemetry.trace": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "audit.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    "auth.me": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    "auth.sessions": {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["LiveSession"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: components["responses"]["Problem"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
