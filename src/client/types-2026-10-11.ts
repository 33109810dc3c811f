// Made by `npm run client-types` from the OpenAPI document of agents-protocol-2026-10-11.

/** The operations that take an Idempotency-Key. */
export const KEYED: ReadonlySet<string> = new Set([
  "POST /v1/sessions/{session_id}/tasks",
  "POST /v1/tasks"
]);

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

export interface paths {
    "/.well-known/agent-card.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the signed A2A card of the default agent.
         * @description Read the signed A2A card of the default agent. Open to all.
         */
        get: operations["getDefaultA2aCard"];
        put?: never;
        post?: never;
        delete?: never;
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
         * Read the public keys that verify receipts, heads of the receipt log and cards.
         * @description Read the public keys that verify receipts, heads of the receipt log and cards. Open to all.
         */
        get: operations["getKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whose access tokens are taken, for which audience, with which scopes (RFC 9728).
         * @description Read whose access tokens are taken, for which audience, with which scopes (RFC 9728). Open to all.
         */
        get: operations["getProtectedResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the same where clients look that know the URL of /mcp alone.
         * @description Read the same where clients look that know the URL of /mcp alone. Open to all.
         */
        get: operations["getProtectedResourceOfMcp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/a2a/.well-known/agent-card.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the signed A2A card of the default agent, for clients that look for it below its A2A URL.
         * @description Read the signed A2A card of the default agent, for clients that look for it below its A2A URL. Open to all.
         */
        get: operations["getA2aCardOfA2aPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/a2a/{agent_id}/.well-known/agent-card.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the signed A2A card of an agent or persona; the last good one while the agent is down.
         * @description Read the signed A2A card of an agent or persona; the last good one while the agent is down. Open to all.
         */
        get: operations["getA2aCardOfAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the AsyncAPI document: every kind of Event with its payload, the streams, and the frames of the WebSocket.
         * @description Read the AsyncAPI document: every kind of Event with its payload, the streams, and the frames of the WebSocket. Open to all.
         */
        get: operations["getAsyncApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is alive.
         * @description Check that the process is alive. Open to all.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document.
         * @description Read this document. Open to all.
         */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the gateway takes new work; 503 while it verifies, is fenced or drains.
         * @description Check that the gateway takes new work; 503 while it verifies, is fenced or drains. Open to all.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Discover protocol versions and transports.
         * @description Discover protocol versions and transports. Open to all.
         */
        get: operations["getProtocolDiscovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys made here, newest first, or those of the configuration.
         * @description List the API keys made here, newest first, or those of the configuration. Needs the scope `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Make an API key and show it once; it may do no more than its maker.
         * @description Make an API key and show it once; it may do no more than its maker. Needs the scope `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an API key at once; open streams end within seconds.
         * @description End an API key at once; open streams end within seconds. Needs the scope `admin`.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the successor of an API key; the old one works for a while beside it.
         * @description Make the successor of an API key; the old one works for a while beside it. Needs the scope `admin`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stream a backup of the whole gateway as it is now, or of what was written since an earlier one. Writes go on beside it.
         * @description Stream a backup of the whole gateway as it is now, or of what was written since an earlier one. Writes go on beside it. Needs the scope `operator`.
         */
        post: operations["createBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/halts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the halts in force, newest first, or all there ever were.
         * @description List the halts in force, newest first, or all there ever were. Needs the scope `operator`.
         */
        get: operations["listHalts"];
        put?: never;
        /**
         * Halt an agent or a tool at once: what runs there ends, what comes is refused, until the halt is released. One that is halted keeps its halt, and what runs is ended again.
         * @description Halt an agent or a tool at once: what runs there ends, what comes is refused, until the halt is released. One that is halted keeps its halt, and what runs is ended again. Needs the scope `operator`.
         */
        post: operations["createHalt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/halts/{halt_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a halt, in force or released.
         * @description Read a halt, in force or released. Needs the scope `operator`.
         */
        get: operations["getHalt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/halts/{halt_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a halt: new tasks run again; those that it ended stay ended.
         * @description Release a halt: new tasks run again; those that it ended stay ended. Needs the scope `operator`.
         */
        post: operations["releaseHalt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/policy/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what the policy makes of a call or of a Task that an actor would send, and by which rule.
         * @description Say what the policy makes of a call or of a Task that an actor would send, and by which rule. Needs the scope `admin`.
         */
        get: operations["explainPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the configuration again and let it take effect without a restart; what needs one is named. A faulty one changes nothing.
         * @description Read the configuration again and let it take effect without a restart; what needs one is named. A faulty one changes nothing. Needs the scope `operator`.
         */
        post: operations["reloadConfiguration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/replay-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the replay check that runs, else the newest since the start of the gateway.
         * @description Read the replay check that runs, else the newest since the start of the gateway. Needs the scope `operator`.
         */
        get: operations["getReplayCheck"];
        put?: never;
        /**
         * Replay a sample of the ended Tasks in the background, without leaving anything in the log, and count what came out.
         * @description Replay a sample of the ended Tasks in the background, without leaving anything in the log, and count what came out. Needs the scope `operator`.
         */
        post: operations["startReplayCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signing keys with their windows, those that ended too.
         * @description List the signing keys with their windows, those that ended too. Needs the scope `operator`.
         */
        get: operations["listSigningKeys"];
        put?: never;
        /**
         * Rotate: a new key signs from now on; what the one before signed stays valid.
         * @description Rotate: a new key signs from now on; what the one before signed stays valid. Needs the scope `operator`.
         */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/signing-keys/{signing_key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke: what the key signs from now on counts as forged. The key that signs is replaced.
         * @description Revoke: what the key signs from now on counts as forged. The key that signs is replaced. Needs the scope `operator`.
         */
        post: operations["revokeSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent-card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the HarnAgentCard of the default agent.
         * @description Read the HarnAgentCard of the default agent. Open to all.
         */
        get: operations["getAgentCard"];
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
         * List the agents behind the gateway, with the verdict about the signature of their cards.
         * @description List the agents behind the gateway, with the verdict about the signature of their cards. Needs the scope `agents:read`.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/upstream-card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the card that an agent gave, as it gave it; its signature, if any, is over this one.
         * @description Read the card that an agent gave, as it gave it; its signature, if any, is over this one. Needs the scope `agents:read`.
         */
        get: operations["getUpstreamCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Artifacts, newest first.
         * @description List Artifacts, newest first. Needs the scope `artifacts:read`.
         */
        get: operations["listArtifacts"];
        put?: never;
        /**
         * Register an Artifact; its content may follow by upload.
         * @description Register an Artifact; its content may follow by upload. Needs the scope `artifacts:write`.
         */
        post: operations["registerArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the description of an Artifact.
         * @description Read the description of an Artifact. Needs the scope `artifacts:read`.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the bytes of an Artifact, or the parts its agent sent it in.
         * @description Download the bytes of an Artifact, or the parts its agent sent it in. Needs the scope `artifacts:read`.
         */
        get: operations["downloadArtifactContent"];
        /**
         * Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one.
         * @description Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one. Needs the scope `artifacts:write`.
         */
        put: operations["uploadArtifactContent"];
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
         * Read decisions, oldest first: of the policy, permissions, rules, keys, erasures, holds and kill switches.
         * @description Read decisions, oldest first: of the policy, permissions, rules, keys, erasures, holds and kill switches. Needs the scope `audit:read`.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/branches/{branch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Branch.
         * @description Read a Branch. Needs the scope `branches:read`.
         */
        get: operations["getBranch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/branches/{branch_id}/abandon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that a Branch was given up.
         * @description Record that a Branch was given up. Needs the scope `branches:write`.
         */
        post: operations["abandonBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/branches/{branch_id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that a Branch was merged, into another one or into the main path.
         * @description Record that a Branch was merged, into another one or into the main path. Needs the scope `branches:write`.
         */
        post: operations["mergeBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bundles/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export a Session, or one of its Tasks, as a session bundle; it is streamed.
         * @description Export a Session, or one of its Tasks, as a session bundle; it is streamed. Needs the scope `bundles:read`.
         */
        post: operations["exportBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bundles/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the Session of a bundle, in a Workspace made for it; the same bundle again changes nothing.
         * @description Restore the Session of a bundle, in a Workspace made for it; the same bundle again changes nothing. Needs the scope `bundles:write`.
         */
        post: operations["importBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bundles/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a session bundle without writing anything; the finding names the step and the place.
         * @description Check a session bundle without writing anything; the finding names the step and the place. Needs the scope `bundles:read`.
         */
        post: operations["validateBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who calls: the actor and tenant of your credential, its scopes and its workspaces.
         * @description Read who calls: the actor and tenant of your credential, its scopes and its workspaces. Needs a credential, and no scope.
         */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what this gateway can do: transports, operations and its vendor routes.
         * @description List what this gateway can do: transports, operations and its vendor routes. Needs the scope `runtime:read`.
         */
        get: operations["listCapabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the configured Connectors of visible Workspaces.
         * @description List the configured Connectors of visible Workspaces. Needs the scope `connectors:read`.
         */
        get: operations["listConnectors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connectors/{connector_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Connector.
         * @description Read a Connector. Needs the scope `connectors:read`.
         */
        get: operations["getConnector"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connectors/{connector_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver what happened at a provider, signed by it; a repeated delivery gets the first answer.
         * @description Deliver what happened at a provider, signed by it; a repeated delivery gets the first answer. Signed by its sender: it needs neither a key nor the version header.
         */
        post: operations["deliverToConnector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries that were given up, newest first.
         * @description List deliveries that were given up, newest first. Needs the scope `dead_letters:read`.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{dead_letter_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a given up delivery once more, under the same delivery id.
         * @description Post a given up delivery once more, under the same delivery id. Needs the scope `dead_letters:write`.
         */
        post: operations["retryDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures, newest first.
         * @description List erasures, newest first. Needs the scope `erasures:read`.
         */
        get: operations["listErasures"];
        put?: never;
        /**
         * Erase what a Session holds, or what an actor left in a Workspace, for good; proofs and a record of the erasure stay.
         * @description Erase what a Session holds, or what an actor left in a Workspace, for good; proofs and a record of the erasure stay. Needs the scope `erasures:write`.
         */
        post: operations["createErasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{erasure_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the record of an erasure.
         * @description Read the record of an erasure. Needs the scope `erasures:read`.
         */
        get: operations["getErasure"];
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
         * Read a range of all Events visible to the caller, or of one Workspace, Session or Task.
         * @description Read a range of all Events visible to the caller, or of one Workspace, Session or Task. Needs the scope `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an Event.
         * @description Read an Event. Needs the scope `events:read`.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow all Events visible to the caller, live from now on unless resumed.
         * @description Follow all Events visible to the caller, live from now on unless resumed. Needs the scope `events:read`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List holds, newest first, released ones too.
         * @description List holds, newest first, released ones too. Needs the scope `holds:read`.
         */
        get: operations["listHolds"];
        put?: never;
        /**
         * Keep Sessions from every removal until the hold is released or expires.
         * @description Keep Sessions from every removal until the hold is released or expires. Needs the scope `holds:write`.
         */
        post: operations["createHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{hold_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a hold.
         * @description Read a hold. Needs the scope `holds:read`.
         */
        get: operations["getHold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{hold_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a hold, with a reason that stays on record.
         * @description End a hold, with a reason that stays on record. Needs the scope `holds:write`.
         */
        post: operations["releaseHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Memories, newest first; expired ones are absent.
         * @description List Memories, newest first; expired ones are absent. Needs the scope `memories:read`.
         */
        get: operations["listMemories"];
        put?: never;
        /**
         * Remember something for a Persona, Session, Workspace or tenant; never part of a transcript.
         * @description Remember something for a Persona, Session, Workspace or tenant; never part of a transcript. Needs the scope `memories:write`.
         */
        post: operations["createMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memories/{memory_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Memory.
         * @description Read a Memory. Needs the scope `memories:read`.
         */
        get: operations["getMemory"];
        put?: never;
        post?: never;
        /**
         * Forget a Memory; its content is erased, the Event that says so stays.
         * @description Forget a Memory; its content is erased, the Event that says so stays. Needs the scope `memories:write`.
         */
        delete: operations["deleteMemory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Message.
         * @description Read a Message. Needs the scope `messages:read`.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Outcomes, newest first.
         * @description List Outcomes, newest first. Needs the scope `outcomes:read`.
         */
        get: operations["listOutcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes/{outcome_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an Outcome.
         * @description Read an Outcome. Needs the scope `outcomes:read`.
         */
        get: operations["getOutcome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permission-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what Tasks wait for, pending and resolved, newest first.
         * @description List what Tasks wait for, pending and resolved, newest first. Needs the scope `permissions:read`.
         */
        get: operations["listPermissionRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permission-requests/{request_id}/remembered": {
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
         * Forget the answer for good of a permission request: what was decided stays, later requests are asked.
         * @description Forget the answer for good of a permission request: what was decided stays, later requests are asked. Needs the scope `permissions:respond`.
         */
        delete: operations["forgetPermission"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permission-requests/{request_id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or deny a permission request; the first answer wins. A denial that cannot reach the agent cancels the Task.
         * @description Answer what waits for a person, whichever protocol asked. The first answer holds; a later one is refused with 409. Needs the scope `permissions:respond`.
         */
        post: operations["respondPermissionRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what rules and policy would make of a request, by the engine that answers real ones.
         * @description Say what rules and policy would make of a request, by the engine that answers real ones. Needs the scope `permissions:read`.
         */
        post: operations["checkPermission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List answers to permission requests and checks, whoever gave them, newest first.
         * @description List answers to permission requests and checks, whoever gave them, newest first. Needs the scope `permissions:read`.
         */
        get: operations["getPermissionHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the permission policy of the tenant, with its version.
         * @description Read the permission policy of the tenant, with its version. Needs the scope `permissions:read`.
         */
        get: operations["getPermissionPolicy"];
        /**
         * Replace the permission policy of the tenant; it grants only what the operator lets be granted.
         * @description Replace the permission policy of the tenant; it grants only what the operator lets be granted. Needs the scope `admin`.
         */
        put: operations["installPermissionPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules that hold, narrowest scope first, the older one before the newer one.
         * @description List the rules that hold, narrowest scope first, the older one before the newer one. Needs the scope `permissions:read`.
         */
        get: operations["listPermissionRules"];
        put?: never;
        /**
         * Make a rule that answers what is asked from now on; rules of a Workspace, of all Tasks or of somebody else take the scope admin.
         * @description Make a rule that answers what is asked from now on; rules of a Workspace, of all Tasks or of somebody else take the scope admin. Needs the scope `permissions:respond`.
         */
        post: operations["createPermissionRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/rules/{rule_id}": {
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
         * Revoke a rule: what it has answered stays, what is asked later is asked.
         * @description Revoke a rule: what it has answered stays, what is asked later is asked. Needs the scope `permissions:respond`.
         */
        delete: operations["revokePermissionRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Personas of the tenant, configured ones included.
         * @description List the Personas of the tenant, configured ones included. Needs the scope `personas:read`.
         */
        get: operations["listPersonas"];
        put?: never;
        /**
         * Create a Persona. It routes its Tasks; its tier, tools, handoffs and policies bind them.
         * @description Create a Persona. It routes its Tasks; its tier, tools, handoffs and policies bind them. Needs the scope `personas:write`.
         */
        post: operations["createPersona"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas/{persona_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Persona.
         * @description Read a Persona. Needs the scope `personas:read`.
         */
        get: operations["getPersona"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update description, receipt policy, quota or metadata of a Persona; its next revision.
         * @description Update description, receipt policy, quota or metadata of a Persona; its next revision. Needs the scope `personas:write`.
         */
        patch: operations["updatePersona"];
        trace?: never;
    };
    "/v1/provider-catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the providers and models of the configuration, and those that agents have offered since the start.
         * @description Read the providers and models of the configuration, and those that agents have offered since the start. Needs the scope `runtime:read`.
         */
        get: operations["getProviderCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the configured Quotas with their usage now; those of the organization need the scope admin.
         * @description List the configured Quotas with their usage now; those of the organization need the scope admin. Needs the scope `quotas:read`.
         */
        get: operations["listQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotas/{quota_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Quota with its usage now.
         * @description Read a Quota with its usage now. Needs the scope `quotas:read`.
         */
        get: operations["getQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipt-log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that the log only grew between two of its heads.
         * @description Prove that the log only grew between two of its heads. Needs the scope `receipts:read`.
         */
        get: operations["getReceiptLogConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipt-log/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the newest signed head of the log over all receipts of this gateway.
         * @description Read the newest signed head of the log over all receipts of this gateway. Needs the scope `receipts:read`.
         */
        get: operations["getReceiptLogHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipt-log/inclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a Receipt is in the log.
         * @description Prove that a Receipt is in the log. Needs the scope `receipts:read`.
         */
        get: operations["getReceiptLogInclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipts/{receipt_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Receipt; the bare canonical receipt by Accept application/vnd.harn.receipt+json, as CBOR by application/vnd.harn.receipt+cbor.
         * @description Read a Receipt; the bare canonical receipt by Accept application/vnd.harn.receipt+json, as CBOR by application/vnd.harn.receipt+cbor. Needs the scope `receipts:read`.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipts/{receipt_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a Receipt with the chain before it; the verdict names the failing step and its place.
         * @description Verify a Receipt with the chain before it; the verdict names the failing step and its place. Needs the scope `receipts:read`.
         */
        post: operations["verifyReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the gateway that answers.
         * @description Describe the gateway that answers. Needs the scope `runtime:read`. What it takes or answers depends on the version of the protocol.
         */
        get: operations["getRuntime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sessions, newest first.
         * @description List Sessions, newest first. Needs the scope `sessions:read`.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a Session in a Workspace.
         * @description Create a Session in a Workspace. Needs the scope `sessions:write`.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Session.
         * @description Read a Session. Needs the scope `sessions:read`.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update summary or metadata of a Session.
         * @description Update summary or metadata of a Session. Needs the scope `sessions:write`.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/v1/sessions/{session_id}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a client to a Session, as its controller or as an observer.
         * @description Attach a client to a Session, as its controller or as an observer. Needs the scope `sessions:write`.
         */
        post: operations["attachSessionClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Branches of a Session, newest first.
         * @description List the Branches of a Session, newest first. Needs the scope `branches:read`.
         */
        get: operations["listSessionBranches"];
        put?: never;
        /**
         * Create a Branch of a Session; Tasks that name it mark what they change with it.
         * @description Create a Branch of a Session; Tasks that name it mark what they change with it. Needs the scope `branches:write`.
         */
        post: operations["createSessionBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a Session; its open Tasks are canceled.
         * @description Close a Session; its open Tasks are canceled. Needs the scope `sessions:write`.
         */
        post: operations["closeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive all but the newest turns of the transcript under a summary; nothing is deleted.
         * @description Archive all but the newest turns of the transcript under a summary; nothing is deleted. Needs the scope `sessions:write`.
         */
        post: operations["compactSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/detach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Detach a client from a Session.
         * @description Detach a client from a Session. Needs the scope `sessions:write`.
         */
        post: operations["detachSessionClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a range of the Events of a Session.
         * @description Read a range of the Events of a Session. Needs the scope `events:read`.
         */
        get: operations["listSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a Session; history first.
         * @description Follow a Session; history first. Needs the scope `events:read`.
         */
        get: operations["streamSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork the transcript of a Session, up to an Event, into a new Session on a Branch of its own.
         * @description Fork the transcript of a Session, up to an Event, into a new Session on a Branch of its own. Needs the scope `sessions:write`.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that a client of a Session is still there.
         * @description Say that a client of a Session is still there. Needs the scope `sessions:write`.
         */
        post: operations["heartbeatSessionClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List, put, remove or synchronize named variables and secrets of a Session, kept in memory only.
         * @description List, put, remove or synchronize named variables and secrets of a Session, kept in memory only. Needs the scope `sessions:write`.
         */
        post: operations["updateSessionInputs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/live-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients that work in a Session now, by their ids.
         * @description List the clients that work in a Session now, by their ids. Needs the scope `sessions:read`.
         */
        get: operations["listSessionLiveClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Messages of a Session in order.
         * @description List the Messages of a Session in order. Needs the scope `messages:read`.
         */
        get: operations["listSessionMessages"];
        put?: never;
        /**
         * Append a Message; it precedes the next Task input.
         * @description Append a Message; it precedes the next Task input. Needs the scope `messages:write`.
         */
        post: operations["appendSessionMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay the ended Tasks of a Session in their order; the answer lists the replay Tasks.
         * @description Replay the ended Tasks of a Session in their order; the answer lists the replay Tasks. Needs the scope `tasks:replay`.
         */
        post: operations["replaySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/takeover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a client the controller of a Session; the one before becomes an observer.
         * @description Make a client the controller of a Session; the one before becomes an observer. Needs the scope `sessions:write`.
         */
        post: operations["takeoverSessionClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Tasks of a Session, newest first.
         * @description List the Tasks of a Session, newest first. Needs the scope `tasks:read`.
         */
        get: operations["listSessionTasks"];
        put?: never;
        /**
         * Submit a Task in a Session.
         * @description Submit a Task to a Session. The Task runs on the agent that `metadata.route` names, as `a2a:<id>`, `acp:<id>`, `mcp:<id>` (the tool is named in the input) or `skill:<skill_id>`; else on the `entry_workflow` of its Persona where that is a route, on `metadata.route` of its Session, on `routing.default` of the configuration, on the first agent. A route that does not exist is refused. `listAgents` has the routes. Tasks of a Session run one after the other, in their order. Needs the scope `tasks:write`. Takes an Idempotency-Key.
         */
        post: operations["submitSessionTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the transcript of a Session: messages, audit events and asset descriptors. The answer is streamed.
         * @description Read the transcript of a Session: messages, audit events and asset descriptors. The answer is streamed. Needs the scope `sessions:read`.
         */
        get: operations["getSessionTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/truncate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep the first turns of a Session in place; later ones go, open Tasks are canceled.
         * @description Keep the first turns of a Session in place; later ones go, open Tasks are canceled. Needs the scope `sessions:write`.
         */
        post: operations["truncateSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Skills of the agents behind the gateway, as they describe themselves.
         * @description List the Skills of the agents behind the gateway, as they describe themselves. Needs the scope `skills:read`.
         */
        get: operations["listSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skills/{skill_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Skill; its id is <agent>__<skill of the agent>.
         * @description Read a Skill; its id is <agent>__<skill of the agent>. Needs the scope `skills:read`.
         */
        get: operations["getSkill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tasks, newest first.
         * @description List Tasks, newest first. Needs the scope `tasks:read`.
         */
        get: operations["listTasks"];
        put?: never;
        /**
         * Submit a Task to the Session named in the body.
         * @description Submit a Task, in a Session that is named or made for it. The Task runs on the agent that `metadata.route` names, as `a2a:<id>`, `acp:<id>`, `mcp:<id>` (the tool is named in the input) or `skill:<skill_id>`; else on the `entry_workflow` of its Persona where that is a route, on `metadata.route` of its Session, on `routing.default` of the configuration, on the first agent. A route that does not exist is refused. `listAgents` has the routes. It answers when the Task is accepted and on disk; follow its stream for what comes of it. Needs the scope `tasks:write`. Takes an Idempotency-Key.
         */
        post: operations["submitTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Task.
         * @description Read a Task. A Task moves: SUBMITTED → WORKING, CANCELED, FAILED; WORKING → INPUT_REQUIRED, AUTH_REQUIRED, COMPLETED, FAILED, CANCELED; INPUT_REQUIRED → WORKING, FAILED, CANCELED; AUTH_REQUIRED → WORKING, FAILED, CANCELED; COMPLETED → nothing: it has ended; FAILED → nothing: it has ended; CANCELED → nothing: it has ended. Each move is one Event: task.submitted, task.started, task.input_required, task.auth_required, task.completed, task.failed, task.canceled, and back to WORKING `task.status_changed`. Needs the scope `tasks:read`.
         */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a Task; forwarded to the agent with a bounded wait.
         * @description Cancel a Task. The agent is asked to stop, and after CANCELED nothing of it is taken any more. One that is CANCELED already is answered as it is; one that has ended otherwise with 409. Needs the scope `tasks:write`.
         */
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a range of the Events of a Task.
         * @description Read a range of the Events of a Task. Needs the scope `events:read`.
         */
        get: operations["listTaskEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/materials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was recorded of the run of a Task, in its order; a replay can override each.
         * @description List what was recorded of the run of a Task, in its order; a replay can override each. Needs the scope `tasks:read`.
         */
        get: operations["listTaskMaterials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a blocked Task (input) or interrupt a working one.
         * @description Say something to a Task: `input` answers what it asked for. A Task that asks for nothing refuses it with 400, and one that has ended with 409. Needs the scope `tasks:write`.
         */
        post: operations["appendTaskMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/permission-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permission requests of a Task, newest first.
         * @description List the permission requests of a Task, newest first. Needs the scope `permissions:read`.
         */
        get: operations["listTaskPermissionRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/push-configs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where the events of a Task are posted; never with what proves the sender.
         * @description List where the events of a Task are posted; never with what proves the sender. Needs the scope `tasks:read`.
         */
        get: operations["listPushConfigs"];
        put?: never;
        /**
         * Have the events of a Task posted to a URL: in order, at least once, retried for days.
         * @description Have the events of a Task posted to a URL: in order, at least once, retried for days. Needs the scope `tasks:write`.
         */
        post: operations["setPushConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/push-configs/{push_config_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a push config.
         * @description Read a push config. Needs the scope `tasks:read`.
         */
        get: operations["getPushConfig"];
        put?: never;
        post?: never;
        /**
         * Post the events of a Task there no longer; what proves the sender is forgotten.
         * @description Post the events of a Task there no longer; what proves the sender is forgotten. Needs the scope `tasks:write`.
         */
        delete: operations["deletePushConfig"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Receipts of a Task, newest first.
         * @description List the Receipts of a Task, newest first. Needs the scope `receipts:read`.
         */
        get: operations["listTaskReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay an ended Task from what was recorded of it; the answer is the replay Task.
         * @description Replay an ended Task from what was recorded of it; the answer is the replay Task. Needs the scope `tasks:replay`.
         */
        post: operations["replayTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a Task; history first, closes after its terminal event.
         * @description Follow a Task; history first, closes after its terminal event. Needs the scope `events:read`.
         */
        get: operations["streamTaskEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the control-plane tools of this gateway: its own operations.
         * @description List the control-plane tools of this gateway: its own operations. Needs the scope `tools:read`.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{tool_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the description of a control-plane tool.
         * @description Read the description of a control-plane tool. Needs the scope `tools:read`.
         */
        get: operations["getTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trust-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the OpenTrustGraph records of approvals, denials and changes of autonomy tiers, newest first. Each Workspace has a chain of its own, and the Tenant one for its Personas.
         * @description List the OpenTrustGraph records of approvals, denials and changes of autonomy tiers, newest first. Each Workspace has a chain of its own, and the Tenant one for its Personas. Needs the scope `trust_records:read`.
         */
        get: operations["listTrustRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/vaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Vaults, newest first; never what they hold.
         * @description List Vaults, newest first; never what they hold. Needs the scope `vaults:read`.
         */
        get: operations["listVaults"];
        put?: never;
        /**
         * Register a Vault as a descriptor; secrets in it are refused, and it resolves nothing.
         * @description Register a Vault as a descriptor; secrets in it are refused, and it resolves nothing. Needs the scope `vaults:write`.
         */
        post: operations["createVault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/vaults/{vault_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the description of a Vault.
         * @description Read the description of a Vault. Needs the scope `vaults:read`.
         */
        get: operations["getVault"];
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
         * List the Workspaces visible to the caller.
         * @description List the Workspaces visible to the caller. Needs the scope `workspaces:read`.
         */
        get: operations["listWorkspaces"];
        put?: never;
        /**
         * Create a Workspace.
         * @description Create a Workspace. Needs the scope `workspaces:write`.
         */
        post: operations["createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Workspace.
         * @description Read a Workspace. Needs the scope `workspaces:read`.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update name, capabilities, quota or metadata of a Workspace.
         * @description Update name, capabilities, quota or metadata of a Workspace. Needs the scope `workspaces:write`.
         */
        patch: operations["updateWorkspace"];
        trace?: never;
    };
    "/v1/workspaces/{workspace_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a UTF-8 file under the root of a Workspace, or list a directory.
         * @description Read a UTF-8 file under the root of a Workspace, or list a directory. Needs the scope `workspaces:read`.
         */
        get: operations["readWorkspaceFile"];
        /**
         * Write a UTF-8 file under the root of a Workspace, with the directories it needs.
         * @description Write a UTF-8 file under the root of a Workspace, with the directories it needs. Needs the scope `workspaces:write`.
         */
        put: operations["writeWorkspaceFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a WebSocket: commands, and subscriptions to many streams. Every stream path takes an upgrade too.
         * @description Open a WebSocket: commands, and subscriptions to many streams. Every stream path takes an upgrade too. Needs the scope `events:read`.
         */
        get: operations["openWebSocket"];
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
         * Read the gateway and protocol versions.
         * @description Read the gateway and protocol versions. Open to all.
         */
        get: operations["getVersion"];
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
        /** @description An A2A agent card, of 1.0 and of 0.3 at once: A2A 1.0, 4.4.1. */
        A2aAgentCard: {
            additionalInterfaces: {
                transport: string;
                url: string;
            }[];
            capabilities: {
                extendedAgentCard?: boolean;
                extensions?: components["schemas"]["JsonObject"][];
                pushNotifications: boolean;
                streaming: boolean;
            };
            defaultInputModes: string[];
            defaultOutputModes: string[];
            description: string;
            documentationUrl?: string;
            iconUrl?: string;
            name: string;
            preferredTransport: string;
            protocolVersion: string;
            provider?: {
                organization: string;
                url: string;
            };
            security: components["schemas"]["JsonObject"][];
            securityRequirements: components["schemas"]["JsonObject"][];
            securitySchemes: components["schemas"]["JsonObject"];
            signatures?: components["schemas"]["A2aAgentCardSignature"][];
            skills: components["schemas"]["A2aAgentSkill"][];
            supportedInterfaces: components["schemas"]["A2aAgentInterface"][];
            url: string;
            version: string;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description A detached JWS over the card: A2A 1.0, 8.4. */
        A2aAgentCardSignature: {
            header?: components["schemas"]["JsonObject"];
            protected: string;
            signature: string;
        };
        /** @description How an agent is reached over A2A: A2A 1.0, 4.4.6. */
        A2aAgentInterface: {
            protocolBinding: string;
            protocolVersion: string;
            tenant?: string;
            url: string;
        };
        /** @description What an agent can be asked for: A2A 1.0, 4.4.5. */
        A2aAgentSkill: {
            description: string;
            examples?: string[];
            id: string;
            inputModes?: string[];
            name: string;
            outputModes?: string[];
            tags: string[];
        };
        /** @description What a client sends to abandon branch. */
        AbandonBranchRequest: {
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
        };
        /** @description An agent or server of tools behind the gateway, and how it does. */
        Agent: {
            /** @description When its card was last read; null for never. */
            card_fetched_at: components["schemas"]["Timestamp"] | null;
            /** @description What the signature of its card is worth. */
            card_signature: components["schemas"]["CardVerdict"] | null;
            /**
             * @description What is known of its card.
             * @enum {string}
             */
            card_state: "current" | "kept" | "missing" | "none";
            /** @description Its circuit breaker; null where it has none. */
            circuit: {
                /** @description Failures in a row. */
                failures: number;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                state: "closed" | "half_open" | "open";
                /** @description When an open one lets a Task through; null while it is not open. */
                until: components["schemas"]["Timestamp"] | null;
            } | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What it is for, in words. */
            description: string | null;
            /** @description Route of the agent that takes what this one cannot; null for none. */
            fallback: string | null;
            /** @description The halt that stops all of it; null for none. */
            halt_id: string | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string | null;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "agent";
            /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
            route: string;
            /** @description Whether it streams. */
            streaming: boolean | null;
            /** @description Why it is not streamed from; null where it is. */
            streaming_refused: {
                /** @description Why, in words. */
                because: string;
                /** @description When it ends. */
                until: components["schemas"]["Timestamp"];
            } | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Its version. */
            version: string | null;
        };
        /** @description An API key, without the key itself. */
        ApiKey: {
            /** @description Who did it, or who it is for. */
            actor: string;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "api_key";
            /** @description Id of the key that took its place; null for none. */
            replaced_by: string | null;
            /** @description When it was revoked; null while it holds. */
            revoked_at: components["schemas"]["Timestamp"] | null;
            /** @description What the credential may do. */
            scopes: string[];
            /** @description The tenant. */
            tenant_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Workspaces that it may use; `*` all of the tenant. */
            workspaces: string[];
        };
        /** @description What a client sends to append message. */
        AppendMessageRequest: {
            /** @description What is said. */
            message: components["schemas"]["MessageInput"];
        };
        /** @description What a client sends to append task message. */
        AppendTaskMessageRequest: {
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "input";
            /** @description What is said. */
            message: components["schemas"]["MessageInput"];
        };
        /** @description Something that a Task made or was given: its description; its bytes are its content. */
        Artifact: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "file" | "patch" | "image" | "log" | "diff" | "receipt" | "snapshot" | "dataset" | "other";
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Media type of the content. */
            mime_type: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "artifact";
            /** @description The Receipt that proves it; null where there is none. */
            receipt_id: string | null;
            /** @description The Session. */
            session_id: string | null;
            /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
            sha256: string | null;
            /** @description The Task. */
            task_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: uri-reference
             * @description Where the content is.
             */
            uri: string | null;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
            /** @description The Workspace. */
            workspace_id: string | null;
        };
        /** @description A part whose content is an Artifact. */
        ArtifactRefPart: {
            /** @description The Artifact. */
            artifact_id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "artifact_ref";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description What a client sends to attach session client. */
        AttachSessionClientRequest: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description How it is done.
             * @default observer
             * @enum {string}
             */
            mode?: "observer" | "controller";
            /** @description Who is asked about what. */
            permission_routing?: boolean;
            /** @description What is done about texts that try to command the agent. */
            prompt_injection?: boolean;
            /**
             * @description Whether it becomes the controller although another one is.
             * @default false
             */
            takeover?: boolean;
        };
        /** @description A decision about a permission. */
        AuditEntry: {
            /** @description When it was decided. */
            decided_at: components["schemas"]["Timestamp"];
            /** @description Who or what decided. */
            decided_by: string | null;
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description What came of it.
             * @enum {string}
             */
            outcome: "granted" | "denied" | "escalated";
            /** @description Version of the permission policy that decided. */
            policy_version: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description What is asked. */
            request: components["schemas"]["PermissionCheckRequest"];
            /**
             * @description How risky it is held to be.
             * @enum {string}
             */
            risk: "low" | "medium" | "high" | "critical";
            /** @description The rule. */
            rule_id: string | null;
            /** @description How far it reaches. */
            scope: ("session" | "workspace" | "user" | "always") | null;
        };
        /** @description A line of the audit: a decision of a policy, a permission or a key. */
        AuditLine: {
            /** @description Id of the event, and the cursor behind this line. */
            id: string;
            /** @description Kind of the event. */
            kind: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "audit_line";
            /** @description Of the permission request. */
            request_id: string | null;
            /** @description What came of it. */
            result: string;
            /** @description By which rule, where there is one. */
            rule: string | null;
            /** @description The Session. */
            session_id: string | null;
            /** @description What it is done to. */
            target: components["schemas"]["ResourcePointer"];
            /** @description The Task. */
            task_id: string | null;
            /** @description When. */
            time: components["schemas"]["Timestamp"];
            /** @description W3C trace that it belongs to; null for none. */
            trace_id: string | null;
            /** @description Equal ones before it that have no line. */
            unrecorded: number;
            /** @description What was done or decided, in a word. */
            what: string;
            /** @description Actor; null: the gateway itself. */
            who: string | null;
            /** @description The Workspace. */
            workspace_id: string | null;
        };
        /** @description What a client sends to backup. */
        BackupRequest: {
            /**
             * @description Secrets that go along, encrypted to the recipient: signing and input keys, configured vaults.
             * @default []
             */
            include?: ("keys" | "vaults")[];
            /** @description Who can read the secrets. */
            recipient?: {
                /** @description Public key (RFC 7517): X25519, P-256, P-384, P-521, or RSA of 2,048 bits or more. */
                jwk: components["schemas"]["JsonObject"];
                /** @description Where the key was made of a passphrase: how. It stands in the backup; the passphrase is never sent. */
                passphrase?: {
                    /** @description What it cost. */
                    cost: number;
                    /**
                     * @description How the key is made of the passphrase.
                     * @constant
                     */
                    kdf: "scrypt";
                    /** @description Salt of that, in base64. */
                    salt: string;
                };
            };
            /** @description Newest commit of the backup before, of which this is the increment. Without it: a full one. */
            since?: {
                /** @description Number of the commit of the log. */
                commit: number;
                /** @description The hash. */
                hash: string;
            };
        };
        /** @description A line of work of a Session with files of its own. */
        Branch: {
            /** @description What it branches from. */
            base_ref: string;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "workspace" | "session" | "task" | "sandbox";
            /** @description The Branch that it was merged into; null unless it was. */
            merged_into: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "branch";
            /** @description The Branch that it branches from; null for none. */
            parent_branch_id: string | null;
            /** @description The Session. */
            session_id: string | null;
            /** @description The Task. */
            task_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
            /** @description Where its files are; null for nowhere. */
            worktree_uri: string | null;
        };
        /** @description What became of a bundle that was taken. */
        BundleImport: {
            /** @description The bundle. */
            bundle_id: string;
            /** @description What was made. */
            created: boolean;
            /** @description The Events. */
            events: number;
            /**
             * @description How it is done.
             * @enum {string}
             */
            mode: "sanitized" | "local" | "replay_only";
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "bundle_import";
            /** @description The Session. */
            session_id: string;
            /** @description The Tasks. */
            tasks: {
                /** @description Id; made by the gateway where a client does not choose it. */
                id: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
            }[];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description Whether a bundle would be taken, and else why not. */
        BundleValidation: {
            /** @description The bundle. */
            bundle_id: string | null;
            /** @description How it is done. */
            mode: ("sanitized" | "local" | "replay_only") | null;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "bundle_validation";
            /** @description Path in the Workspace, relative to its root. */
            path: string | null;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description Id of the key that signed it; null for nobody. */
            signed_by: ("known_key" | "brought_key") | null;
            /** @description The step of the check that failed. */
            step: string | null;
            /** @description Whether it is. */
            valid: boolean;
        };
        /** @description Who calls: what the credential is of, and what it may do. */
        Caller: {
            /** @description Who calls, as events and receipts name them. */
            actor: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "caller";
            /** @description What the credential may do; `*` is everything but the gateway itself. */
            scopes: string[];
            /** @description The tenant. */
            tenant_id: string;
            /** @description Workspaces of the credential, the default first; `*` is every one of the tenant. */
            workspaces: string[];
        };
        /** @description What a client sends to cancel task. */
        CancelTaskRequest: {
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
        };
        /** @description Something that the gateway can do. */
        Capability: {
            /** @description What it is for, in words. */
            description: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
        };
        /** @description What the gateway can do. */
        CapabilitySummary: {
            /** @description What it can do. */
            capabilities: components["schemas"]["Capability"][];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "capability_summary";
        };
        /** @description Signature over the RFC 8785 form of the card without it; its key is in /.well-known/jwks.json. */
        CardSignature: {
            /** @description The algorithm. */
            algorithm: string;
            /** @description Id of the key. */
            key_id: string;
            /** @description The value. */
            value: string;
        };
        /** @description What the signature of a card is worth. */
        CardVerdict: {
            /** @description The algorithm. */
            algorithm: string | null;
            /** @description What the signature covers. */
            covers: ("card" | "a2a_members") | null;
            /** @description Id of the key. */
            key_id: string | null;
            /** @description The keys. */
            keys: ("pinned" | "origin") | null;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "verified" | "unsigned" | "malformed" | "algorithm_refused" | "embedded_key_refused" | "key_url_refused" | "keys_unavailable" | "unknown_key" | "key_not_valid" | "invalid_signature";
        };
        /** @description What a client sends to compact session. */
        CompactSessionRequest: {
            /**
             * @description Newest turns that stay as they are.
             * @default 10
             */
            keep_last?: number;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string;
            /** @description Of the turns that are archived; without it the gateway extracts one. */
            summary?: string;
        };
        /** @description What a compaction made. */
        CompactSessionResponse: {
            /** @description Turns archived by this call. */
            compacted_turn_count: number;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "session.compact_result";
            /** @description Messages that the transcript has now. */
            retained_turn_count: number;
            /** @description The Session, or how to make one. */
            session: components["schemas"]["Session"];
            /** @description The Session. */
            session_id: string;
            /** @description What came of it, in words. */
            summary: string | null;
            /** @description Who wrote the summary. */
            summary_source: ("caller" | "extract") | null;
        };
        /** @description What brings work of another system by signed deliveries. */
        Connector: {
            /** @description How it authenticates. */
            auth: components["schemas"]["JsonObject"];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description How deliveries that come twice are known. */
            dedupe_policy: components["schemas"]["JsonObject"];
            /** @description Kinds of Events. */
            event_kinds: string[];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "connector";
            /** @description How it is asked for deliveries. */
            polling: components["schemas"]["JsonObject"];
            /** @description Who runs the model, or offers the agent. */
            provider: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "ACTIVE" | "PAUSED" | "FAILED" | "DISABLED";
            /** @description Persona that its Tasks run as; null for none. */
            target_persona_id: string | null;
            /** @description Session of its Tasks; null for a new one each. */
            target_session_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description How its deliveries come. */
            webhook: components["schemas"]["JsonObject"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description What became of a delivery. */
        ConnectorDelivery: {
            /** @description The Connector. */
            connector_id: string;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What a delivery that comes twice is known by. */
            dedupe_key: string | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The Message. */
            message_id: string | null;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "connector_delivery";
            /** @description The Session. */
            session_id: string;
            /** @description The Task. */
            task_id: string | null;
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description What a client sends to create api key. */
        CreateApiKeyRequest: {
            /** @description Who did it, or who it is for. */
            actor: string;
            /** @description When it ends by itself; null for never. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /** @description What the credential may do. */
            scopes: ("workspaces:read" | "workspaces:write" | "sessions:read" | "sessions:write" | "branches:read" | "branches:write" | "messages:read" | "messages:write" | "tasks:read" | "tasks:write" | "tasks:replay" | "permissions:read" | "permissions:respond" | "events:read" | "artifacts:read" | "artifacts:write" | "outcomes:read" | "receipts:read" | "personas:read" | "personas:write" | "vaults:read" | "vaults:write" | "connectors:read" | "quotas:read" | "agents:read" | "trust_records:read" | "dead_letters:read" | "dead_letters:write" | "skills:read" | "runtime:read" | "tools:read" | "memories:read" | "memories:write" | "audit:read" | "erasures:read" | "erasures:write" | "holds:read" | "holds:write" | "bundles:read" | "bundles:write" | "internal:read" | "admin" | "metrics:read" | "operator" | "*")[];
            /** @description Workspaces that it may use; `*` all of the tenant. */
            workspaces: string[];
        };
        /** @description What a client sends to create branch. */
        CreateBranchRequest: {
            /** @description What it branches from. */
            base_ref: string;
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "workspace" | "session" | "task" | "sandbox";
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description The Branch that it branches from; null for none. */
            parent_branch_id?: string | null;
            /** @description The Task. */
            task_id?: string | null;
        };
        /** @description What a client sends to create erasure. */
        CreateErasureRequest: {
            /** @description The actor whose data is erased, as Events name it. Name it or a Session. */
            actor?: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string;
            /** @description Under which rule, such as an article of a law. */
            rule: string;
            /** @description The Session to erase; it is closed first. */
            session_id?: string;
            /** @description The Workspace in which the data of an actor is erased. Default: the first of the caller. */
            workspace_id?: string;
        };
        /** @description What a client sends to create halt. */
        CreateHaltRequest: {
            /** @description Why, in words; null or absent where nobody said. */
            reason: string;
            /** @description Route of an agent or tool server, or `skill:<id>` for one tool or Skill. */
            route: string;
            /** @description One tool by the name that its agent or server has for it; left out: the agent as a whole. */
            tool?: string;
        };
        /** @description What a client sends to create hold. */
        CreateHoldRequest: {
            /** @description When it ends by itself. Default: never. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description What refusals call it, such as a case number. */
            name: string;
            /** @description Why, for the record. */
            reason: string;
            /** @description Sessions to keep, all of one Workspace. */
            session_ids: string[];
        };
        /** @description What a client sends to create memory. */
        CreateMemoryRequest: {
            /** @description How sure who wrote it is of it, from 0 to 1. */
            confidence?: number | null;
            /** @description The content. */
            content: components["schemas"]["JsonValue"];
            /** @description Where an embedding of it is kept elsewhere; the gateway makes none. */
            embedding_ref?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Actor that it belongs to. */
            owner_id: string;
            /** @description Where it comes from. */
            provenance: components["schemas"]["JsonObject"];
            /** @description Kept and given back; what is redacted is decided by the policy of the gateway. */
            redaction_policy?: components["schemas"]["JsonObject"];
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "persona" | "session" | "workspace" | "tenant";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility?: components["schemas"]["PartVisibility"];
        };
        /** @description What a client sends to create persona. */
        CreatePersonaRequest: {
            /**
             * @description shadow calls nothing, suggest asks before each tool, act_with_approval before tools that write, act_auto before destructive ones.
             * @enum {string}
             */
            autonomy_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
            /**
             * @description tool:<side-effect class>, agent:<protocol>, tool:* and agent:* say what its Tasks may use, once one of them is listed. Other words are shown and limit nothing.
             * @default []
             */
            capabilities?: string[];
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default []
             */
            context_packs?: string[];
            /** @description What it is for, in words. */
            description: string;
            /** @description Route of its Tasks when it is one, for example a2a:shop; any other text is kept and chooses none. */
            entry_workflow: string;
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default []
             */
            evals?: string[];
            /**
             * @description Routes of the agents its Tasks may be given to besides its own workflow, for example a2a:shop or a2a:*. Empty: all of them.
             * @default []
             */
            handoffs?: string[];
            /**
             * @description Members of the caller, and of the gateway where the description of the resource says so.
             * @default {}
             */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default {}
             */
            model_policy?: components["schemas"]["JsonObject"];
            /** @description Kept in the metadata; nothing is loaded. */
            module_ref?: string;
            /** @description Name for people. */
            name: string;
            /**
             * @description Actor that it belongs to.
             * @default null
             */
            owner?: string | null;
            /**
             * @description Quota that the Tasks of this Persona count against.
             * @default null
             */
            quota_id?: string | null;
            /**
             * @description disabled: its Tasks have no Receipts. optional: each has one of its end. required: one of its acceptance too.
             * @enum {string}
             */
            receipt_policy: "required" | "optional" | "disabled";
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default {}
             */
            rollout_policy?: components["schemas"]["JsonObject"];
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default []
             */
            schedules?: components["schemas"]["JsonObject"][];
            /**
             * @description Ids of the Skills its Tasks may call; files__* is every tool of a server. Empty: all of them.
             * @default []
             */
            tools?: string[];
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default []
             */
            triggers?: components["schemas"]["JsonObject"][];
            /** @description Its version. */
            version: string;
        };
        /** @description What a client sends to create remember rule. */
        CreateRememberRuleRequest: {
            /** @description Glob over the name of the tool, or what is asked for in one word. */
            action_pattern: string;
            /** @description Whether the rule allows or denies. */
            allow: boolean;
            /**
             * @description Class of what is done, for rules.
             * @enum {string}
             */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            /** @description When it was made. */
            created_at?: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by?: string;
            /** @description When it ends by itself; null for never. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id?: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description Null or left out: a new rule holds. */
            revoked_at?: components["schemas"]["Timestamp"] | null;
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "session" | "workspace" | "user" | "always";
            /** @description What the scope names: the Session, the Workspace, or the actor. */
            scope_value?: string | null;
            /** @description Glob over the path, command or host; the action where there is none. */
            target_pattern: string;
            /** @description A rule is of the tenant of whoever makes it, whatever is sent. */
            tenant_id?: string | null;
        };
        /** @description What a client sends to create session. */
        CreateSessionRequest: {
            /** @description Messages that it begins with. */
            initial_messages?: components["schemas"]["MessageInput"][];
            /** @description Memories that it begins with. */
            memory_ids?: string[];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Another spelling of metadata.autonomy_tier: shadow, architect (suggest), ask (act_with_approval), code (act_auto). Null or absent: none of its own. */
            mode_id?: ("ask" | "architect" | "code" | "shadow") | null;
            /** @description Null or absent: none. */
            model_policy?: components["schemas"]["SessionModelPolicy"] | null;
            /** @description The Persona. */
            persona_id?: string | null;
            /** @description Skills that it may use. */
            skill_ids?: string[];
            /** @description Vaults that it may use. */
            vault_ids?: string[];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description What a client sends to create vault. */
        CreateVaultRequest: {
            /** @description What it can do. */
            capabilities: string[];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Who runs the model, or offers the agent. */
            provider: string;
            /** @description The Workspace. */
            workspace_id?: string | null;
        };
        /** @description What a client sends to create workspace. */
        CreateWorkspaceRequest: {
            /** @description The image that its sandbox is made of. */
            image?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /** @description What its sandbox may reach. */
            network_policy?: components["schemas"]["JsonObject"];
            /** @description Packages that its sandbox has. */
            packages?: string[];
            /** @description Root of it. */
            root: string;
            /** @description What runs its sandbox. */
            sandbox_backend?: string | null;
        };
        /** @description A delivery that was given up. */
        DeadLetter: {
            /** @description How often it was tried. */
            attempts: number;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The Event. */
            event_id: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description When it was last tried. */
            last_attempt_at: components["schemas"]["Timestamp"];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "dead_letter";
            /** @description The push configuration. */
            push_config_id: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "dead" | "retrying" | "delivered";
            /** @description The Task. */
            task_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description Versions of the protocol, and transports. */
        Discovery: {
            /** @description What it can do. */
            capabilities: {
                /** @description The Receipts, or whether they are served. */
                receipts: boolean;
                /** @description What was replayed, and how; absent for what is no replay. */
                replay: boolean;
                /** @description Whether REST is served. */
                rest: boolean;
                /** @description Whether server-sent events are served. */
                sse: boolean;
                /** @description Whether WebSocket is served. */
                websocket: boolean;
            };
            /**
             * @description The version that this document describes.
             * @enum {string}
             */
            current_version: "agents-protocol-2026-10-11";
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "protocol_discovery";
            /**
             * @description Name of the protocol.
             * @constant
             */
            protocol_family: "harn_agents_protocol";
            /** @description All versions that are spoken here. */
            supported_versions: string[];
        };
        /** @description The record of data that was removed for good: what, by whom, under which rule. */
        Erasure: {
            /** @description When it was completed; null unless it was. */
            completed_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Sessions that were forked from it: what they had copied is gone, what was said in them stays. */
            forks: string[];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "erasure";
            /** @description Of the erasure of an actor. */
            of_actor?: {
                /** @description Sessions that a hold keeps: nothing of them went. */
                held: {
                    /** @description The hold. */
                    hold_id: string;
                    /** @description The Session. */
                    session_id: string;
                }[];
                /** @description Sessions of nobody else, which went whole. */
                sessions: string[];
                /** @description Sessions that lost what the actor said in them, and stay. */
                shared: string[];
                /** @description Tasks of others that lost their replay material, which may repeat what the actor said. */
                unreplayable: string[];
            };
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description Proof of what was there. */
            receipts: {
                /** @description Its place in the chain of its Session, and the receipt before it; absent for a replay. */
                chain?: {
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description The receipt before it; null for the first one. */
                    previous_id: string | null;
                };
                /** @description Place of the Receipt in the log, from 0. */
                log_index: number;
                /** @description `sha256:` and the SHA-256 of the RFC 8785 form of the Receipt, in hexadecimal. */
                receipt_hash: string;
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
                /** @description The Task. */
                task_id: string;
            }[];
            /** @description What was taken away. */
            removed: {
                /** @description Answers kept under Idempotency-Keys. */
                answers: number;
                /** @description The Artifacts. */
                artifacts: number;
                /** @description Events that lost what they said. Their ids, kinds, order and links stay. */
                events: number;
                /** @description The Memories. */
                memories: number;
                /** @description The Messages. */
                messages: number;
                /** @description The Receipts, or whether they are served. */
                receipts: number;
                /** @description The Tasks. */
                tasks: number;
            };
            /** @description Actor who asked for it. */
            requested_by: string;
            /** @description Under which rule, such as an article of a law. */
            rule: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            state: "erasing" | "completed";
            /** @description The Session that was erased, or the actor whose data was, by its name. */
            subject: components["schemas"]["ResourcePointer"];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description Why a call was refused. `message` says what to do next, `code` is for programs. */
        Error: {
            /**
             * @description Code for programs, of a closed list.
             * @enum {string}
             */
            code: "invalid_request" | "invalid_state_transition" | "unauthenticated" | "permission_denied" | "resource_not_found" | "conflict" | "idempotency_key_reused" | "cursor_expired" | "payload_too_large" | "policy_violation" | "resource_locked" | "unsupported_protocol_version" | "rate_limited" | "client_closed_request" | "internal_error" | "upstream_unavailable" | "service_unavailable" | "deadline_exceeded";
            /** @description More facts for programs. */
            details: components["schemas"]["JsonObject"];
            /** @description What is said. */
            message: string;
            /** @description The member, parameter or header at fault; null for none. */
            param: string | null;
            /** @description Id of the request; for an error, quote it in reports. */
            request_id: string | null;
            /**
             * @description Which of the forms this is.
             * @enum {string}
             */
            type: "request_error" | "auth_error" | "permission_error" | "not_found_error" | "conflict_error" | "rate_limit_error" | "runtime_error" | "upstream_error" | "server_error";
        };
        /** @description The envelope of every refusal. */
        ErrorResponse: {
            /** @description What went wrong. */
            error: components["schemas"]["Error"];
        };
        /** @description Something that happened, once and in order. `event` is its kind; `EventPayloads` has the payload of each. */
        Event: {
            /** @description Who did it, or who it is for. */
            actor: string | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The kind of Event, or the Event itself. */
            event: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "event";
            /** @description What the Event says; its form depends on the kind, see `EventPayloads`. */
            payload: components["schemas"]["JsonObject"];
            /** @description The Event of the same resource before this one; null for its first. */
            previous_event_id: string | null;
            /** @description The Receipt that proves it; null where there is none. */
            receipt_id?: string | null;
            /** @description What was replayed, and how; absent for what is no replay. */
            replay?: components["schemas"]["ReplayEventMetadata"];
            /** @description True for an Event that a replay made of a recorded one, or that was recorded before a subscription began. */
            replayed?: boolean;
            /** @description The resource that it is about. */
            resource: components["schemas"]["ResourcePointer"];
            /** @description Number of the Event in its resource, from 1, without gaps. */
            sequence: number;
            /** @description The Session. */
            session_id: string | null;
            /** @description W3C span that it belongs to; null for none. */
            span_id: string | null;
            /** @description The Task. */
            task_id: string | null;
            /** @description W3C trace that it belongs to; null for none. */
            trace_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string | null;
        };
        /** @description The payload of each kind of Event, by its name. */
        EventPayloads: {
            /** @description What `agent.handoff` says. */
            "agent.handoff"?: {
                /** @description The agent. */
                agent: string | null;
                /** @description The Persona that it was handed off from. */
                from_persona_id: string | null;
                /** @description The Task that it was handed off from. */
                from_task_id: string;
                /** @description The Persona. */
                persona_id: string | null;
                /** @description The Task. */
                task_id: string;
            };
            /** @description What `agent.mcp_tool_use` says. */
            "agent.mcp_tool_use"?: {
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256: string;
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description Name for people. */
                name: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `agent.memory_read` says. */
            "agent.memory_read"?: {
                /** @description SHA-256 of the content. */
                content_sha256: string;
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description The Memory. */
                memory_id: string;
                /**
                 * @description How far it reaches.
                 * @enum {string}
                 */
                scope: "persona" | "session" | "workspace" | "tenant";
            };
            /** @description What `agent.message` says. */
            "agent.message"?: {
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description What is said. */
                message: components["schemas"]["Message"];
                /** @description Whether a move of the Task comes with it. */
                move_follows?: boolean;
                /** @description What is kept encrypted of it. */
                sealed?: boolean;
                /** @description Id that the agent gave the Message. */
                upstream_message_id?: string;
            };
            /** @description What `agent.reasoning_summary` says. */
            "agent.reasoning_summary"?: {
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description What it is made of: text, JSON, tool calls, files, images, references to Artifacts. */
                parts: components["schemas"]["Part"][];
            };
            /** @description What `agent.tool_result` says. */
            "agent.tool_result"?: {
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description Name for people. */
                name: string;
                /** @description SHA-256 of the RFC 8785 form of what came of it. */
                output_sha256?: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "ok" | "error";
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `agent.tool_use` says. */
            "agent.tool_use"?: {
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256: string;
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description Name for people. */
                name: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `artifact.created` says. */
            "artifact.created"?: {
                /** @description Whether it is text throughout. */
                all_text: boolean;
                /** @description Whether it is added to what was there. */
                append: boolean;
                /** @description The Artifact. */
                artifact: components["schemas"]["Artifact"];
                /** @description The call before. */
                called_last?: boolean;
                /** @description Place of the piece, from 0. */
                chunk_index: number;
                /** @description Whether it is the last piece. */
                last_chunk: boolean;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description Media type of the content. */
                mime_type?: string;
                /** @description Name for people. */
                name: string | null;
                /** @description The Artifact that it is a copy of. */
                original_artifact_id?: string;
                /** @description What it is made of: text, JSON, tool calls, files, images, references to Artifacts. */
                parts: components["schemas"]["JsonObject"][];
                /** @description The pieces. */
                pieces: number;
                /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                sha256?: string;
                /** @description How many there are, or how many bytes. */
                size: number;
                /**
                 * @description Where the content is kept.
                 * @enum {string}
                 */
                store: "none" | "parts" | "bytes";
                /** @description Id that the agent gave it. */
                upstream_artifact_id: string | null;
            };
            /** @description What `artifact.redacted` says. */
            "artifact.redacted"?: {
                /** @description The Artifact. */
                artifact_id: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string;
            };
            /** @description What `artifact.updated` says. */
            "artifact.updated"?: {
                /** @description Whether it is text throughout. */
                all_text: boolean;
                /** @description Whether it is added to what was there. */
                append: boolean;
                /** @description The Artifact. */
                artifact_id: string;
                /** @description The call before. */
                called_last?: boolean;
                /** @description Place of the piece, from 0. */
                chunk_index: number;
                /** @description Whether it is the last piece. */
                last_chunk: boolean;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description Media type of the content. */
                mime_type?: string;
                /** @description Name for people. */
                name?: string | null;
                /** @description What it is made of: text, JSON, tool calls, files, images, references to Artifacts. */
                parts: components["schemas"]["JsonObject"][];
                /** @description The pieces. */
                pieces: number;
                /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                sha256?: string;
                /** @description How many there are, or how many bytes. */
                size: number;
                /**
                 * @description Where the content is kept.
                 * @enum {string}
                 */
                store: "parts" | "bytes";
            };
            /** @description What `branch.abandoned` says. */
            "branch.abandoned"?: {
                /** @description The Branch. */
                branch_id: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
            };
            /** @description What `branch.created` says. */
            "branch.created"?: {
                /** @description The Branch. */
                branch: components["schemas"]["Branch"];
            };
            /** @description What `branch.merged` says. */
            "branch.merged"?: {
                /** @description The Branch. */
                branch_id: string;
                /** @description The Branch that it was merged into; null unless it was. */
                merged_into: string | null;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata: components["schemas"]["JsonObject"];
            };
            /** @description What `connector.delivery_deduped` says. */
            "connector.delivery_deduped"?: {
                /** @description What a delivery that comes twice is known by. */
                dedupe_key: string | null;
                /** @description Id that the sender gave the delivery. */
                delivery_id: string;
                /** @description SHA-256 of the signed bytes. */
                signed_sha256?: string;
            };
            /** @description What `connector.delivery_received` says. */
            "connector.delivery_received"?: {
                /** @description What a delivery that comes twice is known by. */
                dedupe_key: string | null;
                /** @description Id that the sender gave the delivery. */
                delivery_id: string;
                /** @description Media type of the content. */
                mime_type: string;
                /** @description SHA-256 of the signed bytes. */
                signed_sha256?: string;
                /** @description How many there are, or how many bytes. */
                size: number;
            };
            /** @description What `connector.failed` says. */
            "connector.failed"?: {
                /** @description Code for programs, of a closed list. */
                code: string;
                /** @description What is said. */
                message: string;
                /** @description The member, parameter or header at fault; null for none. */
                param: string | null;
            };
            /** @description What `connector.normalized` says. */
            "connector.normalized"?: {
                /**
                 * @description The name that it got here.
                 * @enum {string}
                 */
                as: "task" | "message";
                /** @description What a delivery that comes twice is known by. */
                dedupe_key: string | null;
                /** @description Id that the sender gave the delivery. */
                delivery_id: string;
                /** @description The Message. */
                message_id: string | null;
                /** @description The Session. */
                session_id: string;
                /** @description SHA-256 of the signed bytes. */
                signed_sha256?: string;
            };
            /** @description What `connector.task_submitted` says. */
            "connector.task_submitted"?: {
                /** @description What a delivery that comes twice is known by. */
                dedupe_key: string | null;
                /** @description Id that the sender gave the delivery. */
                delivery_id: string;
                /** @description SHA-256 of the signed bytes. */
                signed_sha256?: string;
                /** @description The Task. */
                task_id: string;
            };
            /** @description What `receipt.issued` says. */
            "receipt.issued"?: {
                /**
                 * @description The state that it ended in.
                 * @enum {string}
                 */
                final_state: "SUCCEEDED" | "FAILED" | "CANCELED";
                /**
                 * @description What it follows on.
                 * @enum {string}
                 */
                follows: "session" | "replay_source";
                /** @description Who issued it. */
                issuer: string;
                /** @description Id of the key. */
                key_id: string | null;
                /** @description Place of the Receipt in the log, from 0. */
                log_index: number;
                /** @description Hash of the Receipt before. */
                previous_receipt_hash: string | null;
                /** @description `sha256:` and the SHA-256 of the RFC 8785 form of the Receipt, in hexadecimal. */
                receipt_hash: string;
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
                /** @description What it is about. */
                subject: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /**
                     * @description Which kind of resource this is.
                     * @enum {string}
                     */
                    object: "task" | "outcome" | "event" | "artifact" | "approval" | "tool_call" | "replay_segment";
                };
            };
            /** @description What `receipt.verification_failed` says. */
            "receipt.verification_failed"?: {
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
                /** @description What its check said; null while it was not checked. */
                verification: components["schemas"]["ReceiptVerification"];
            };
            /** @description What `receipt.verified` says. */
            "receipt.verified"?: {
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
                /** @description What its check said; null while it was not checked. */
                verification: components["schemas"]["ReceiptVerification"];
            };
            /** @description What `replay.completed` says. */
            "replay.completed"?: {
                /** @description The differences. */
                deltas: {
                    /** @description SHA-256 of it after. */
                    after_sha256?: string | null;
                    /** @description The Artifact. */
                    artifact_id?: string;
                    /** @description SHA-256 of it before. */
                    before_sha256?: string | null;
                    /** @description The difference. */
                    delta_id: string;
                    /** @description The Event. */
                    event_id?: string;
                    /**
                     * @description Id of an operation of this document.
                     * @enum {string}
                     */
                    operation: "add" | "replace" | "remove";
                    /** @description Name of a recorded frame in which a replay may put another value. */
                    override_key?: string;
                    /** @description Path in the Workspace, relative to its root. */
                    path: string;
                    /** @description Why, in words; null or absent where nobody said. */
                    reason?: string;
                }[];
                /** @description The Events. */
                events: number;
                /** @description How it is done. */
                mode: components["schemas"]["ReplayMode"];
                /** @description The Task that was replayed. */
                source_task_id: string;
                /** @description The verdict. */
                verdict: {
                    /** @description Hash over the recorded Events. */
                    record_hash: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "byte_equal";
                } | {
                    /** @description The Event. */
                    event_id: string | null;
                    /** @description What is recorded, or was asked for. */
                    expected: string | null;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string | null;
                    /** @description Path in the Workspace, relative to its root. */
                    path: string;
                    /** @description How many could not be compared, as secrets were taken out. */
                    redacted_material?: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "diverged";
                } | {
                    /** @description What is recorded, or was asked for. */
                    expected: string;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "tamper_detected";
                    /** @description Where it ends. */
                    through?: string;
                    /** @description Where it begins. */
                    where: string;
                };
            };
            /** @description What `replay.event_replayed` says. */
            "replay.event_replayed"?: {
                /** @description Whether it came out equal. */
                equal: boolean;
                /** @description The kind of Event, or the Event itself. */
                event: string;
                /** @description What the Event says; its form depends on the kind, see `EventPayloads`. */
                payload: components["schemas"]["JsonObject"] | null;
                /** @description The resource that it is about. */
                resource: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description Which kind of resource this is. */
                    object: string;
                };
                /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                sha256: string;
            };
            /** @description What `replay.failed` says. */
            "replay.failed"?: {
                /** @description What is said. */
                message: string;
                /** @description What is missing. */
                missing: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description Which kind of it this is. */
                    kind: string;
                } | null;
                /** @description How it is done. */
                mode: components["schemas"]["ReplayMode"];
                /** @description The Task that was replayed. */
                source_task_id: string;
                /** @description The verdict. */
                verdict: ({
                    /** @description Hash over the recorded Events. */
                    record_hash: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "byte_equal";
                } | {
                    /** @description The Event. */
                    event_id: string | null;
                    /** @description What is recorded, or was asked for. */
                    expected: string | null;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string | null;
                    /** @description Path in the Workspace, relative to its root. */
                    path: string;
                    /** @description How many could not be compared, as secrets were taken out. */
                    redacted_material?: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "diverged";
                } | {
                    /** @description What is recorded, or was asked for. */
                    expected: string;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "tamper_detected";
                    /** @description Where it ends. */
                    through?: string;
                    /** @description Where it begins. */
                    where: string;
                }) | null;
            };
            /** @description What `replay.started` says. */
            "replay.started"?: {
                /** @description The Event of that boundary. */
                checkpoint_event_id: string | null;
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string | null;
                /** @description How it is done. */
                mode: components["schemas"]["ReplayMode"];
                /** @description The override keys that were used. */
                override_keys: string[];
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description What was read anew. */
                refresh: ("memory" | "secrets" | "host_facts")[];
                /** @description The Task that was replayed. */
                source_task_id: string;
            };
            /** @description What `session.closed` says. */
            "session.closed"?: {
                /** @description Why, in words; null or absent where nobody said. */
                reason: string;
            };
            /** @description What `session.compacted` says. */
            "session.compacted"?: {
                /** @description Where what was taken out is kept. */
                archive: {
                    /** @description What was counted against quotas. */
                    counted: {
                        /** @description How many bytes it has. */
                        bytes: number;
                        /** @description The Events. */
                        events: number;
                    };
                    /** @description The first Message of it. */
                    first_message_id: string | null;
                    /** @description What stays as it was. */
                    kept: {
                        /** @description The Message. */
                        message_id: string;
                        /** @description Its place, from 0. */
                        position: number;
                    }[];
                    /** @description The last Message of it. */
                    last_message_id: string | null;
                    /** @description What came of it, in words. */
                    summary: string | null;
                    /** @description Who wrote the summary. */
                    summary_source: ("caller" | "extract") | null;
                    /** @description The last Event that it covers. */
                    through_event_id: string | null;
                    /** @description How many turns. */
                    turns: number;
                };
                /** @description How many turns were compacted. */
                compacted_turn_count: number;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
            };
            /** @description What `session.created` says. */
            "session.created"?: {
                /** @description What it was forked from. */
                forked?: {
                    /** @description Where what was taken out is kept. */
                    archive?: {
                        /** @description What was counted against quotas. */
                        counted: {
                            /** @description How many bytes it has. */
                            bytes: number;
                            /** @description The Events. */
                            events: number;
                        };
                        /** @description The first Message of it. */
                        first_message_id: string | null;
                        /** @description What stays as it was. */
                        kept: {
                            /** @description The Message. */
                            message_id: string;
                            /** @description Its place, from 0. */
                            position: number;
                        }[];
                        /** @description The last Message of it. */
                        last_message_id: string | null;
                        /** @description What came of it, in words. */
                        summary: string | null;
                        /** @description Who wrote the summary. */
                        summary_source: ("caller" | "extract") | null;
                        /** @description The last Event that it covers. */
                        through_event_id: string | null;
                        /** @description How many turns. */
                        turns: number;
                    };
                    /** @description The Event up to which it is taken over. */
                    at_event_id: string | null;
                    /** @description The Session. */
                    session_id: string;
                    /** @description How many turns. */
                    turn_count: number;
                };
                /** @description The key. */
                key?: string;
                /** @description Memories that it begins with. */
                memory_ids?: string[];
                /** @description The Session, or how to make one. */
                session: components["schemas"]["Session"];
                /** @description Skills that it may use. */
                skill_ids?: string[];
                /** @description Vaults that it may use. */
                vault_ids?: string[];
            };
            /** @description What `session.message_appended` says. */
            "session.message_appended"?: {
                /** @description What is said. */
                message?: components["schemas"]["Message"];
                /** @description The Message. */
                message_id: string;
                /** @description Whether it waits. */
                pending: boolean;
                /** @description Its place, from 0. */
                position: number;
                /** @description Who speaks: `user`, `assistant`, `system` or `tool`. */
                role: string;
                /** @description What is kept encrypted of it. */
                sealed?: boolean;
            };
            /** @description What `session.replayed` says. */
            "session.replayed"?: {
                /** @description How it is done. */
                mode: components["schemas"]["ReplayMode"];
                /** @description The Tasks. */
                task_ids: string[];
            };
            /** @description What `session.thread_forked` says. */
            "session.thread_forked"?: {
                /** @description The Event up to which it is taken over. */
                at_event_id: string | null;
                /** @description The Branch. */
                branch_id: string;
                /** @description The Session. */
                session_id: string;
                /** @description How many turns. */
                turn_count: number;
            };
            /** @description What `session.truncated` says. */
            "session.truncated"?: {
                /** @description How many turns were kept. */
                kept_turn_count: number;
                /** @description The newest turn that is left; null for none. */
                new_tip_turn_id: string | null;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description How many turns were removed. */
                removed_turn_count: number;
            };
            /** @description What `span.completed` says. */
            "span.completed"?: {
                /** @description Name for people. */
                name: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description W3C span that it belongs to; null for none. */
                span_id: string;
            };
            /** @description What `span.failed` says. */
            "span.failed"?: {
                /** @description What went wrong. */
                error: components["schemas"]["Failure"];
                /** @description Name for people. */
                name: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description W3C span that it belongs to; null for none. */
                span_id: string;
                /** @description When it began. */
                started_at: string | null;
            };
            /** @description What `span.started` says. */
            "span.started"?: {
                /** @description Name for people. */
                name: string;
                /** @description The span that it is part of. */
                parent_span_id: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description W3C span that it belongs to; null for none. */
                span_id: string;
            };
            /** @description What `span.updated` says. */
            "span.updated"?: {
                /** @description What is said. */
                message?: string;
                /** @description Name for people. */
                name: string;
                /** @description How far it is. */
                progress?: number;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description W3C span that it belongs to; null for none. */
                span_id: string;
                /** @description How many there are in all. */
                total?: number;
            };
            /** @description What `task.auth_required` says. */
            "task.auth_required"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.canceled` says. */
            "task.canceled"?: {
                /** @description What is known of the agent; absent where it confirmed. */
                cancel?: {
                    /**
                     * @description The agent.
                     * @enum {string}
                     */
                    agent: "not_reached" | "unanswered" | "refused";
                    /** @description Why, in words. */
                    because: string | null;
                };
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description What came of it. */
                outcome: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description What came of it, in words. */
                    summary: string;
                };
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.completed` says. */
            "task.completed"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description What came of it. */
                outcome: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description What came of it, in words. */
                    summary: string;
                };
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.failed` says. */
            "task.failed"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Why it failed; null or absent unless it did. */
                failure: components["schemas"]["Failure"];
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description What came of it. */
                outcome: {
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description What came of it, in words. */
                    summary: string;
                };
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.input_required` says. */
            "task.input_required"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.started` says. */
            "task.started"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.status_changed` says. */
            "task.status_changed"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The Message. */
                message_id?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description The state before. */
                previous_status: components["schemas"]["TaskStatus"];
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The state that it is in. */
                status: components["schemas"]["TaskStatus"];
                /** @description The gateway inserted this step, as the agent skipped it. */
                synthesized?: boolean;
            };
            /** @description What `task.submitted` says. */
            "task.submitted"?: {
                /** @description Where it goes on from: the boundary that an Event of the Task names. */
                checkpoint_id: string;
                /** @description The Message. */
                message_id: string;
                /** @description The Persona. */
                persona?: {
                    /**
                     * @description Tier of autonomy: shadow, suggest, act_with_approval or act_auto.
                     * @enum {string}
                     */
                    autonomy_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
                    /**
                     * @description Which Receipts are issued.
                     * @enum {string}
                     */
                    receipt_policy: "required" | "optional" | "disabled";
                    /** @description What it refers to. */
                    ref: string;
                };
                /** @description Messages that come before. */
                preceding: string[];
                /** @description Quotas that it counts against. */
                quota_ids?: string[];
                /** @description Amounts that are reserved from quotas. */
                quota_reservations?: {
                    /** @description How much, by what is counted. */
                    amounts: {
                        /** @description Seconds of work. */
                        runtime_seconds?: number;
                        /** @description Money. */
                        spend?: number;
                        /** @description Tokens of models. */
                        tokens?: number;
                    };
                    /** @description ISO 4217 code of the currency. */
                    currency: string;
                    /** @description The Quota. */
                    quota_id: string;
                    /**
                     * @description Length of the window.
                     * @enum {string}
                     */
                    window: "hour" | "day" | "month" | "never";
                }[];
                /** @description What was replayed, and how; absent for what is no replay. */
                replay?: {
                    /** @description The Event of that boundary. */
                    checkpoint_event_id: string | null;
                    /** @description Where it goes on from: the boundary that an Event of the Task names. */
                    checkpoint_id: string | null;
                    /** @description The differences. */
                    deltas: {
                        /** @description SHA-256 of it after. */
                        after_sha256?: string | null;
                        /** @description The Artifact. */
                        artifact_id?: string;
                        /** @description SHA-256 of it before. */
                        before_sha256?: string | null;
                        /** @description The difference. */
                        delta_id: string;
                        /** @description The Event. */
                        event_id?: string;
                        /**
                         * @description Id of an operation of this document.
                         * @enum {string}
                         */
                        operation: "add" | "replace" | "remove";
                        /** @description Name of a recorded frame in which a replay may put another value. */
                        override_key?: string;
                        /** @description Path in the Workspace, relative to its root. */
                        path: string;
                        /** @description Why, in words; null or absent where nobody said. */
                        reason?: string;
                    }[];
                    /** @description How it is done. */
                    mode: components["schemas"]["ReplayMode"];
                    /** @description The how many-th it is, from 1. */
                    ordinal: number;
                    /** @description Other values for recorded frames. */
                    overrides: {
                        /** @description The difference. */
                        delta_id: string;
                        /** @description The recorded frame. */
                        frame: number | null;
                        /** @description The key. */
                        key: string;
                        /**
                         * @description Which kind of it this is.
                         * @enum {string}
                         */
                        kind: "llm_provider_response" | "mcp_tool_return" | "secret_value" | "time" | "host_fact" | "tool_result" | "event_payload" | "checkpoint_value";
                        /**
                         * @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown.
                         * @enum {string}
                         */
                        visibility: "public" | "internal" | "receipt_only";
                    }[];
                    /** @description Why, in words; null or absent where nobody said. */
                    reason: string | null;
                    /** @description What was read anew. */
                    refresh: ("memory" | "secrets" | "host_facts")[];
                    /** @description The Task that was replayed. */
                    source_task_id: string;
                    /** @description The last Event that it covers. */
                    through_event_id: string;
                };
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description Number of the rules by which its run becomes Events; absent: 1. */
                rules?: number;
                /** @description The Skill. */
                skill_id?: string;
                /** @description The Task. */
                task: components["schemas"]["Task"];
                /**
                 * @description Tier of autonomy: shadow, suggest, act_with_approval or act_auto.
                 * @enum {string}
                 */
                tier?: "shadow" | "suggest" | "act_with_approval" | "act_auto";
                /**
                 * @description Whether its trace is not sampled.
                 * @constant
                 */
                unsampled?: true;
            };
            /** @description What `tool.approval_required` says. */
            "tool.approval_required"?: {
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256?: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Name for people. */
                name: string;
                /** @description The permission request; null for another question. */
                permission_request: components["schemas"]["PermissionRequest"];
                /**
                 * @description What is sent again.
                 * @constant
                 */
                resends?: true;
                /** @description SHA-256 of what it is about. */
                subject_sha256?: string;
                /** @description The tool call. */
                tool_call_id: string;
                /** @description Id that the agent gave the question. */
                upstream_request_id: string | null;
            };
            /** @description What `tool.approved` says. */
            "tool.approved"?: {
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256?: string;
                /** @description Name for people. */
                name: string;
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
                /** @description The answer; null while nobody answered. */
                response: components["schemas"]["PermissionResponse"];
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "approved" | "denied";
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `tool.completed` says. */
            "tool.completed"?: {
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description Name for people. */
                name: string;
                /** @description SHA-256 of the RFC 8785 form of what came of it. */
                output_sha256: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `tool.denied` says. */
            "tool.denied"?: {
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256?: string;
                /** @description Name for people. */
                name: string;
                /** @description The policy. */
                policy?: {
                    /** @description Why, in words. */
                    because: string;
                    /** @description The rule. */
                    rule: string;
                };
                /** @description Id of the request; for an error, quote it in reports. */
                request_id?: string;
                /** @description The answer; null while nobody answered. */
                response?: components["schemas"]["PermissionResponse"];
                /** @description The MCP server; null for a tool of the agent itself. */
                server?: string;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "approved" | "denied";
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `tool.failed` says. */
            "tool.failed"?: {
                /** @description What went wrong. */
                error: components["schemas"]["Failure"];
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description Name for people. */
                name: string;
                /** @description SHA-256 of the RFC 8785 form of what came of it. */
                output_sha256?: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /** @description The tool call. */
                tool_call_id: string;
            };
            /** @description What `tool.requested` says. */
            "tool.requested"?: {
                /** @description SHA-256 of the definition of the tool. */
                definition_sha256?: string;
                /** @description What is given: a Message, or an object for an agent that takes one. */
                input: components["schemas"]["JsonValue"];
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256: string;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Name for people. */
                name: string;
                /** @description The MCP server; null for a tool of the agent itself. */
                server: string | null;
                /** @description What it may do to the world, in a word. */
                side_effect?: string;
                /** @description The tool call. */
                tool_call_id: string;
                /**
                 * @description The policy kept it back: nothing was called.
                 * @constant
                 */
                withheld?: true;
            };
            /** @description What `user.cancel_requested` says. */
            "user.cancel_requested"?: {
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
            };
            /** @description What `user.input_submitted` says. */
            "user.input_submitted"?: {
                /**
                 * @description Which kind of it this is.
                 * @enum {string}
                 */
                kind: "input" | "interrupt";
                /** @description The Message. */
                message_id: string;
                /** @description Messages that come before. */
                preceding?: string[];
            };
            /** @description What `user.message` says. */
            "user.message"?: {
                /** @description What is said. */
                message: components["schemas"]["Message"];
                /** @description Proof of what was taken out. */
                redaction_proof?: string;
                /** @description What is kept encrypted of it. */
                sealed?: boolean;
            };
            /** @description What `user.tool_confirmation` says. */
            "user.tool_confirmation"?: {
                /** @description Whether it was allowed. */
                approved: boolean;
                /** @description The Message. */
                message_id: string | null;
                /** @description The answer that was chosen of those that are offered. */
                option_id: string | null;
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
                /** @description The tool call. */
                tool_call_id: string | null;
            };
            /** @description What `vendor.harn_gateway.agent_update` says. */
            "vendor.harn_gateway.agent_update"?: {
                /**
                 * @description What it is about.
                 * @enum {string}
                 */
                about: "turn" | "session";
                /**
                 * @description Whether it came while no turn ran.
                 * @constant
                 */
                between_turns?: true;
                /** @description Which kind of it this is. */
                kind: string;
                /** @description Override key of the recorded frame that it comes from. */
                material: string;
                /** @description The protocol that it came over. */
                protocol: string;
                /** @description What the agent sent. */
                update: {
                    /** @description What was sent. */
                    body: components["schemas"]["JsonObject"];
                    /**
                     * @description Which of the forms this is.
                     * @constant
                     */
                    type: "agent_update";
                    /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
                    visibility: components["schemas"]["PartVisibility"];
                };
            };
            /** @description What `vendor.harn_gateway.api_key_created` says. */
            "vendor.harn_gateway.api_key_created"?: {
                /** @description The API key, without the key itself. */
                api_key: components["schemas"]["ApiKey"];
                /** @description The hash. */
                hash: string;
            };
            /** @description What `vendor.harn_gateway.api_key_ended` says. */
            "vendor.harn_gateway.api_key_ended"?: {
                /** @description When it ends by itself; null for never. */
                expires_at: components["schemas"]["Timestamp"] | null;
                /** @description Id of the key that took its place; null for none. */
                replaced_by: string | null;
                /** @description When it was revoked; null while it holds. */
                revoked_at: components["schemas"]["Timestamp"] | null;
            };
            /** @description What `vendor.harn_gateway.approval_voted` says. */
            "vendor.harn_gateway.approval_voted"?: {
                /** @description How many have to allow it. */
                quorum: number;
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
                /** @description Who has to allow it. */
                review: {
                    /**
                     * @description The algorithm.
                     * @constant
                     */
                    algorithm: "ed25519";
                    /** @description Whether it was allowed. */
                    approved: boolean;
                    /** @description SHA-256 of the RFC 8785 form of the input. */
                    input_sha256: string | null;
                    /** @description Id of the key. */
                    key_id: string;
                    /** @description Id of the request; for an error, quote it in reports. */
                    request_id: string;
                    /** @description Actor that answers, or has answered. */
                    reviewer: string;
                    /** @description The signature, in base64; null where it is not signed. */
                    signature: string;
                    /**
                     * Format: date-time
                     * @description When it was signed.
                     */
                    signed_at: string;
                };
            };
            /** @description What `vendor.harn_gateway.backup_begun` says. */
            "vendor.harn_gateway.backup_begun"?: {
                /** @description What comes along besides the log. */
                include: ("keys" | "vaults")[];
                /** @description Public key that it is encrypted for. */
                recipient: string | null;
                /** @description Number of the commit from which on. */
                since_commit: number | null;
            };
            /** @description What `vendor.harn_gateway.call_refused` says. */
            "vendor.harn_gateway.call_refused"?: {
                /**
                 * @description Code for programs, of a closed list.
                 * @enum {string}
                 */
                code: "permission_denied" | "policy_violation" | "rate_limited";
                /** @description What is said. */
                message: string;
                /** @description Id of an operation of this document. */
                operation: string;
                /** @description The member, parameter or header at fault; null for none. */
                param: string | null;
                /** @description The rule. */
                rule: string;
                /** @description What was not recorded. */
                unrecorded: number;
            };
            /** @description What `vendor.harn_gateway.configuration_reloaded` says. */
            "vendor.harn_gateway.configuration_reloaded"?: {
                /** @description Ids of keys of the configuration file, by what became of them. */
                api_keys: {
                    /** @description What was added. */
                    added: string[];
                    /** @description What was taken away. */
                    removed: string[];
                    /** @description What was changed. */
                    replaced: string[];
                };
                /** @description What took effect. */
                applied: string[];
                /** @description Routes of agents, by what became of them. */
                routes: {
                    /** @description What was added. */
                    added: string[];
                    /** @description What was taken away. */
                    removed: string[];
                    /** @description What was changed. */
                    replaced: string[];
                };
            };
            /** @description What `vendor.harn_gateway.dead_letter_changed` says. */
            "vendor.harn_gateway.dead_letter_changed"?: {
                /** @description How often it was tried. */
                attempts?: number;
                /** @description Why, in words; null or absent where nobody said. */
                reason?: string;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "dead" | "retrying" | "delivered";
            };
            /** @description What `vendor.harn_gateway.delivery_given_up` says. */
            "vendor.harn_gateway.delivery_given_up"?: {
                /** @description The dead letter. */
                dead_letter: components["schemas"]["DeadLetter"];
            };
            /** @description What `vendor.harn_gateway.erasure_completed` says. */
            "vendor.harn_gateway.erasure_completed"?: Record<string, never>;
            /** @description What `vendor.harn_gateway.erasure_progressed` says. */
            "vendor.harn_gateway.erasure_progressed"?: {
                /** @description Sessions that were forked from it. */
                forks: string[];
                /** @description Of the erasure of an actor. */
                of_actor?: {
                    /** @description Sessions that a hold keeps. */
                    held?: {
                        /** @description The hold. */
                        hold_id: string;
                        /** @description The Session. */
                        session_id: string;
                    }[];
                    /** @description Artifacts, permission requests and the like that went. */
                    resources?: string[];
                    /** @description Sessions that went whole. */
                    sessions?: string[];
                    /** @description Sessions that stay, without what the actor said. */
                    shared?: string[];
                    /** @description Tasks that lost their replay material. */
                    unreplayable?: string[];
                };
                /** @description The Receipts, or whether they are served. */
                receipts: {
                    /** @description Its place in the chain of its Session, and the receipt before it; absent for a replay. */
                    chain?: {
                        /** @description Its place, from 0. */
                        index: number;
                        /** @description The receipt before it; null for the first one. */
                        previous_id: string | null;
                    };
                    /** @description Place of the Receipt in the log, from 0. */
                    log_index: number;
                    /** @description `sha256:` and the SHA-256 of the RFC 8785 form of the Receipt, in hexadecimal. */
                    receipt_hash: string;
                    /** @description The Receipt that proves it; null where there is none. */
                    receipt_id: string;
                    /** @description The Task. */
                    task_id: string;
                }[];
                /** @description What was taken away. */
                removed: {
                    /** @description Answers kept under Idempotency-Keys. */
                    answers?: number;
                    /** @description The Artifacts. */
                    artifacts?: number;
                    /** @description Events that lost what they said. Their ids, kinds, order and links stay. */
                    events?: number;
                    /** @description The Memories. */
                    memories?: number;
                    /** @description The Messages. */
                    messages?: number;
                    /** @description The Receipts, or whether they are served. */
                    receipts?: number;
                    /** @description The Tasks. */
                    tasks?: number;
                };
                /** @description The Tasks. */
                task_ids: string[];
            };
            /** @description What `vendor.harn_gateway.erasure_requested` says. */
            "vendor.harn_gateway.erasure_requested"?: {
                /** @description The erasure. */
                erasure: components["schemas"]["Erasure"];
            };
            /** @description What `vendor.harn_gateway.file_written` says. */
            "vendor.harn_gateway.file_written"?: {
                /** @description How many bytes it has. */
                bytes: number;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata: components["schemas"]["JsonObject"];
                /** @description Path in the Workspace, relative to its root. */
                path: string;
                /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                sha256: string;
            };
            /** @description What `vendor.harn_gateway.halt_created` says. */
            "vendor.harn_gateway.halt_created"?: {
                /** @description The kill switch. */
                halt: components["schemas"]["Halt"];
            };
            /** @description What `vendor.harn_gateway.halt_released` says. */
            "vendor.harn_gateway.halt_released"?: {
                /** @description Why it was released; null while it holds. */
                release_reason: string | null;
                /** @description When it was released; null while it holds. */
                released_at: components["schemas"]["Timestamp"] | null;
                /** @description Actor that released it; null while it holds. */
                released_by: string | null;
            };
            /** @description What `vendor.harn_gateway.history_removed` says. */
            "vendor.harn_gateway.history_removed"?: {
                /** @description The kind of Event, or the Event itself. */
                event: string;
                /** @description When it was removed. */
                removed_at: string;
                /** @description The streams that it concerns. */
                streams: {
                    /** @description The Events. */
                    events: number;
                    /** @description The first Event that is kept. */
                    first_event_id: string;
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /**
                     * @description Which kind of resource this is.
                     * @enum {string}
                     */
                    object: "session" | "task";
                }[];
            };
            /** @description What `vendor.harn_gateway.hold_created` says. */
            "vendor.harn_gateway.hold_created"?: {
                /** @description The hold. */
                hold: components["schemas"]["Hold"];
            };
            /** @description What `vendor.harn_gateway.hold_released` says. */
            "vendor.harn_gateway.hold_released"?: {
                /** @description Why it was released; null while it holds. */
                release_reason: string | null;
                /** @description Null while it holds. */
                released_at: components["schemas"]["Timestamp"] | null;
                /** @description Actor who released it; null where it expired. */
                released_by: string | null;
            };
            /** @description What `vendor.harn_gateway.live_client_changed` says. */
            "vendor.harn_gateway.live_client_changed"?: {
                /**
                 * @description What is done, in a word.
                 * @enum {string}
                 */
                action: "attached" | "takeover" | "detached";
                /** @description The controller now; null for none. */
                active_controller_id: string | null;
                /** @description The live client. */
                client: components["schemas"]["LiveSessionClient"] | null;
                /** @description The live client, named by itself. */
                client_id: string;
                /** @description The live clients. */
                clients: components["schemas"]["LiveSessionClient"][];
                /** @description Holds that keep it. */
                held_by: {
                    [key: string]: {
                        /** @description Who did it, or who it is for. */
                        actor: string;
                        /** @description The connection of the client. */
                        connection: string | null;
                    };
                };
                /**
                 * @description How it is done.
                 * @enum {string}
                 */
                mode: "observer" | "controller";
                /** @description The controller before; null for none. */
                previous_controller_id: string | null;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description What the agent sent. */
                update: {
                    /** @description What the agent added for clients. */
                    _meta: {
                        /** @description What the gateway added. */
                        harn: {
                            /**
                             * @description What is done, in a word.
                             * @enum {string}
                             */
                            action: "attached" | "takeover" | "detached";
                            /** @description The state that it is in. */
                            state: components["schemas"]["LiveSessionClientChange"];
                        };
                    };
                    /**
                     * @description Kind of the update, as ACP names it.
                     * @constant
                     */
                    sessionUpdate: "live_session_client";
                };
            };
            /** @description What `vendor.harn_gateway.memory_created` says. */
            "vendor.harn_gateway.memory_created"?: {
                /** @description The Artifact. */
                artifact_id: string | null;
                /** @description The content. */
                content?: {
                    /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                    sha256: string;
                    /** @description How many there are, or how many bytes. */
                    size: number;
                };
                /** @description The Memory. */
                memory: {
                    /** @description How sure who wrote it is of it, from 0 to 1. */
                    confidence?: number | null;
                    /** @description When it was made. */
                    created_at: components["schemas"]["Timestamp"];
                    /** @description Where an embedding of it is kept elsewhere; the gateway makes none. */
                    embedding_ref?: string | null;
                    /** @description When it ends by itself; null for never. */
                    expires_at: components["schemas"]["Timestamp"] | null;
                    /** @description Id; made by the gateway where a client does not choose it. */
                    id: string;
                    /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                    metadata: components["schemas"]["JsonObject"];
                    /**
                     * @description Which kind of resource this is.
                     * @constant
                     */
                    object: "memory";
                    /** @description Actor that it belongs to. */
                    owner_id: string;
                    /** @description Where it comes from. */
                    provenance: components["schemas"]["JsonObject"];
                    /** @description Kept and given back; what is redacted is decided by the policy of the gateway. */
                    redaction_policy?: components["schemas"]["JsonObject"];
                    /**
                     * @description How far it reaches.
                     * @enum {string}
                     */
                    scope: "persona" | "session" | "workspace" | "tenant";
                    /** @description When it was last changed. */
                    updated_at: components["schemas"]["Timestamp"];
                    /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
                    visibility: components["schemas"]["PartVisibility"];
                    /** @description The Workspace. */
                    workspace_id: string | null;
                };
                /** @description The Session. */
                session_id: string | null;
                /** @description The tenant. */
                tenant: string;
            };
            /** @description What `vendor.harn_gateway.memory_deleted` says. */
            "vendor.harn_gateway.memory_deleted"?: {
                /** @description The Memory. */
                memory_id: string;
                /**
                 * @description Why, in words; null or absent where nobody said.
                 * @enum {string}
                 */
                reason: "deleted" | "expired" | "erased";
            };
            /** @description What `vendor.harn_gateway.permission_checked` says. */
            "vendor.harn_gateway.permission_checked"?: {
                /** @description What was decided. */
                decision: {
                    /** @description When it ends by itself; null for never. */
                    expires_at: components["schemas"]["Timestamp"] | null;
                    /**
                     * @description What came of it.
                     * @constant
                     */
                    outcome: "granted";
                    /** @description Version of the permission policy that decided. */
                    policy_version: string;
                    /** @description Why, in words; null or absent where nobody said. */
                    reason: string | null;
                    /** @description The rule. */
                    rule_id: string | null;
                    /**
                     * @description How far it reaches.
                     * @enum {string}
                     */
                    scope: "session" | "workspace" | "user" | "always";
                } | {
                    /**
                     * @description What came of it.
                     * @constant
                     */
                    outcome: "denied";
                    /** @description Version of the permission policy that decided. */
                    policy_version: string;
                    /** @description Why, in words; null or absent where nobody said. */
                    reason: string | null;
                    /** @description The rule. */
                    rule_id: string | null;
                    /**
                     * @description How far it reaches.
                     * @enum {string}
                     */
                    scope: "session" | "workspace" | "user" | "always";
                } | {
                    /** @description Who is to be asked; null for nobody. */
                    escalate_to: string[];
                    /**
                     * @description What came of it.
                     * @constant
                     */
                    outcome: "suspend";
                    /** @description Version of the permission policy that decided. */
                    policy_version: string;
                    /** @description Why, in words; null or absent where nobody said. */
                    reason: string | null;
                };
                /** @description What is asked. */
                request: components["schemas"]["PermissionCheckRequest"];
                /** @description What was not recorded. */
                unrecorded: number;
            };
            /** @description What `vendor.harn_gateway.permission_forgotten` says. */
            "vendor.harn_gateway.permission_forgotten"?: {
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
            };
            /** @description What `vendor.harn_gateway.permission_policy_installed` says. */
            "vendor.harn_gateway.permission_policy_installed"?: {
                /** @description The policy. */
                policy: components["schemas"]["PermissionPolicy"];
                /** @description The tenant. */
                tenant: string;
                /** @description Its version. */
                version: string;
            };
            /** @description What `vendor.harn_gateway.permission_remembered` says. */
            "vendor.harn_gateway.permission_remembered"?: {
                /** @description Who did it, or who it is for. */
                actor: string;
                /** @description Whether it was allowed. */
                approved: boolean;
                /** @description Actor that it belongs to. */
                owner: string;
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description The rule. */
                rule?: components["schemas"]["RememberRule"];
                /** @description SHA-256 of what it is about. */
                subject_sha256: string;
            };
            /** @description What `vendor.harn_gateway.permission_requested` says. */
            "vendor.harn_gateway.permission_requested"?: {
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description The permission request; null for another question. */
                permission_request: components["schemas"]["PermissionRequest"];
                /**
                 * @description What is sent again.
                 * @constant
                 */
                resends?: true;
                /** @description SHA-256 of what it is about. */
                subject_sha256?: string;
                /** @description Id that the agent gave the question. */
                upstream_request_id: string | null;
            };
            /** @description What `vendor.harn_gateway.permission_resolved` says. */
            "vendor.harn_gateway.permission_resolved"?: {
                /** @description Id of the request; for an error, quote it in reports. */
                request_id: string;
                /** @description The answer; null while nobody answered. */
                response: components["schemas"]["PermissionResponse"];
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "approved" | "denied";
            };
            /** @description What `vendor.harn_gateway.permission_rule_created` says. */
            "vendor.harn_gateway.permission_rule_created"?: {
                /** @description The rule. */
                rule: components["schemas"]["RememberRule"];
                /** @description The tenant. */
                tenant: string;
                /** @description The Workspace. */
                workspace_id: string | null;
            };
            /** @description What `vendor.harn_gateway.permission_rule_revoked` says. */
            "vendor.harn_gateway.permission_rule_revoked"?: {
                /** @description The rule. */
                rule_id: string;
            };
            /** @description What `vendor.harn_gateway.persona_created` says. */
            "vendor.harn_gateway.persona_created"?: {
                /** @description Hash of the file. */
                file_hash: string | null;
                /** @description The Persona. */
                persona: components["schemas"]["Persona"];
                /** @description Number of its state, which grows by one with each change. */
                revision: number;
                /** @description The tenant. */
                tenant: string;
            };
            /** @description What `vendor.harn_gateway.persona_updated` says. */
            "vendor.harn_gateway.persona_updated"?: {
                /** @description What changed. */
                changes: components["schemas"]["JsonObject"];
                /** @description Hash of the file. */
                file_hash: string | null;
                /** @description Number of its state, which grows by one with each change. */
                revision: number;
            };
            /** @description What `vendor.harn_gateway.policy_decided` says. */
            "vendor.harn_gateway.policy_decided"?: {
                /** @description Why, in words. */
                because: string;
                /**
                 * @description What the rule does.
                 * @enum {string}
                 */
                effect: "ask" | "withhold" | "refuse";
                /** @description SHA-256 of the RFC 8785 form of the input. */
                input_sha256: string | null;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description The rule. */
                rule: string;
                /**
                 * @description What it may do to the world, in a word.
                 * @enum {string}
                 */
                side_effect: "read" | "read_external" | "write_idempotent" | "write" | "destructive" | "delegate";
                /** @description The Skill. */
                skill_id: string | null;
                /**
                 * @description Tier of autonomy: shadow, suggest, act_with_approval or act_auto.
                 * @enum {string}
                 */
                tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
                /** @description The tool call. */
                tool_call_id: string | null;
            };
            /** @description What `vendor.harn_gateway.push_config_deleted` says. */
            "vendor.harn_gateway.push_config_deleted"?: {
                /** @description The Task. */
                task_id: string;
            };
            /** @description What `vendor.harn_gateway.push_config_set` says. */
            "vendor.harn_gateway.push_config_set"?: {
                /** @description The Event after which. */
                after_event_id: string;
                /** @description Whether all is delivered. */
                is_done?: boolean;
                /** @description The push configuration. */
                push_config: components["schemas"]["PushConfig"];
                /** @description What it takes the place of. */
                replaces: string | null;
                /** @description The Session. */
                session_id: string;
            };
            /** @description What `vendor.harn_gateway.push_delivered` says. */
            "vendor.harn_gateway.push_delivered"?: {
                /** @description Whether it is the last one. */
                is_last: boolean;
                /** @description The Task. */
                task_id: string;
                /** @description The last Event that it covers. */
                through_event_id: string;
            };
            /** @description What `vendor.harn_gateway.session_imported` says. */
            "vendor.harn_gateway.session_imported"?: {
                /** @description The bundle. */
                bundle_id: string;
                /** @description The digest. */
                digest: string;
                /** @description The Events. */
                events: number;
                /** @description Who issued it. */
                issuer: string;
                /** @description The key that signed the manifest. */
                manifest_key_id: string | null;
                /**
                 * @description How it is done.
                 * @enum {string}
                 */
                mode: "sanitized" | "local" | "replay_only";
            };
            /** @description What `vendor.harn_gateway.session_updated` says. */
            "vendor.harn_gateway.session_updated"?: {
                /** @description What changed. */
                changes: components["schemas"]["JsonObject"];
            };
            /** @description What `vendor.harn_gateway.signing_key_changed` says. */
            "vendor.harn_gateway.signing_key_changed"?: {
                /** @description Id of the key. */
                key_id: string;
                /** @description When it ceases to hold; null for open. */
                not_after: components["schemas"]["Timestamp"] | null;
                /** @description When it begins to hold. */
                not_before: components["schemas"]["Timestamp"];
                /** @description The public key. */
                public_key?: string;
                /** @description When it was revoked; null while it holds. */
                revoked_at: components["schemas"]["Timestamp"] | null;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "current" | "retired" | "revoked";
            };
            /** @description What `vendor.harn_gateway.skill_definition` says. */
            "vendor.harn_gateway.skill_definition"?: {
                /**
                 * @description What changed, in a word.
                 * @enum {string}
                 */
                change: "added" | "changed" | "removed" | "accepted";
                /** @description As it may be shown; left out where it is long. The hash is over the definition as it came. */
                definition?: components["schemas"]["JsonObject"];
                /** @description SHA-256 of the definition of the tool. */
                definition_sha256: string;
                /** @description SHA-256 of the definition that was accepted. */
                pinned_sha256: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description The tool. */
                tool: string;
            };
            /** @description What `vendor.harn_gateway.task_moved` says. */
            "vendor.harn_gateway.task_moved"?: {
                /** @description Route that did not take the Task. */
                from: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: components["schemas"]["JsonValue"];
                /** @description Route that took it. */
                to: string;
            };
            /** @description What `vendor.harn_gateway.transcript_budget` says. */
            "vendor.harn_gateway.transcript_budget"?: {
                /**
                 * @description What is done, in a word.
                 * @enum {string}
                 */
                action: "compacted" | "trimmed";
                /** @description Another name of `after_event_id`. */
                after: {
                    /** @description How many bytes it has. */
                    bytes: number;
                    /** @description The Events. */
                    events: number;
                    /** @description The Messages. */
                    messages: number;
                };
                /** @description Where what was taken out is kept. */
                archive?: {
                    /** @description What was counted against quotas. */
                    counted: {
                        /** @description How many bytes it has. */
                        bytes: number;
                        /** @description The Events. */
                        events: number;
                    };
                    /** @description The first Message of it. */
                    first_message_id: string | null;
                    /** @description What stays as it was. */
                    kept: {
                        /** @description The Message. */
                        message_id: string;
                        /** @description Its place, from 0. */
                        position: number;
                    }[];
                    /** @description The last Message of it. */
                    last_message_id: string | null;
                    /** @description What came of it, in words. */
                    summary: string | null;
                    /** @description Who wrote the summary. */
                    summary_source: ("caller" | "extract") | null;
                    /** @description The last Event that it covers. */
                    through_event_id: string | null;
                    /** @description How many turns. */
                    turns: number;
                };
                /** @description What it was before. */
                before: {
                    /** @description How many bytes it has. */
                    bytes: number;
                    /** @description The Events. */
                    events: number;
                    /** @description The Messages. */
                    messages: number;
                };
                /** @description What may be used at most. */
                limits: {
                    /** @description How many bytes it has. */
                    bytes: number | null;
                    /** @description The Events. */
                    events: number;
                    /** @description The Messages. */
                    messages: number;
                };
                /**
                 * @description Why, in words; null or absent where nobody said.
                 * @enum {string}
                 */
                reason: "messages" | "events" | "bytes";
            };
            /** @description What `vendor.harn_gateway.truncation_accepted` says. */
            "vendor.harn_gateway.truncation_accepted"?: {
                /** @description The backup. */
                backup?: {
                    /** @description Number of the commit of the log. */
                    commit: number;
                    /** @description When it was made. */
                    created_at: string;
                    /** @description The Event. */
                    event_id: string;
                    /** @description The newest commit that is known to have been there. */
                    newest_known: {
                        /** @description Number of the commit of the log. */
                        commit: number;
                        /** @description The Event. */
                        event_id: string;
                        /** @description When. */
                        time: string;
                    } | null;
                };
                /** @description What is recorded, or was asked for. */
                expected: components["schemas"]["JsonValue"];
                /** @description What was found. */
                found: components["schemas"]["JsonValue"];
                /** @description Why, in words; null or absent where nobody said. */
                reason?: string;
            };
            /** @description What `vendor.harn_gateway.trust_recorded` says. */
            "vendor.harn_gateway.trust_recorded"?: {
                /** @description Its place in the chain, from 0. */
                chain_index: number;
                /** @description Hash of this entry. */
                entry_hash: string;
                /** @description The Event. */
                event_id: string;
                /** @description Hash of the entry before; null for the first. */
                previous_hash: string | null;
                /** @description Id of the record. */
                record_id: string;
                /** @description What it is about. */
                topic: string;
            };
            /** @description What `vendor.harn_gateway.upstream_bound` says. */
            "vendor.harn_gateway.upstream_bound"?: {
                /** @description Id of the work at the agent; null for none. */
                binding: components["schemas"]["JsonObject"] | null;
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
                route: string;
                /** @description Id of the conversation at the agent; null for none. */
                session_binding: components["schemas"]["JsonObject"] | null;
            };
            /** @description What `vendor.harn_gateway.upstream_note` says. */
            "vendor.harn_gateway.upstream_note"?: {
                /** @description More facts for programs. */
                details?: components["schemas"]["JsonObject"];
                /** @description Override key of the recorded frame that it comes from. */
                material?: string;
                /** @description Members of the caller, and of the gateway where the description of the resource says so. */
                metadata?: components["schemas"]["JsonObject"];
                /** @description What it is about, in a word. */
                note: string;
                /** @description What was used: tokens, calls, cost. */
                usage?: {
                    /** @description What it cost. */
                    cost?: {
                        /** @description How much. */
                        amount: number;
                        /** @description ISO 4217 code of the currency. */
                        currency: string;
                    };
                    /**
                     * @description What was counted against quotas.
                     * @enum {string}
                     */
                    counted?: "turn" | "session";
                    /**
                     * @description How many, by kind.
                     * @enum {string}
                     */
                    counts: "more" | "total";
                    /** @description Tokens that the model was given. */
                    input_tokens?: number;
                    /** @description The model. */
                    model?: {
                        /** @description Name for people. */
                        name: string;
                        /** @description Who runs the model, or offers the agent. */
                        provider: string;
                    };
                    /** @description Tokens that the model made. */
                    output_tokens?: number;
                };
            };
            /** @description What `vendor.harn_gateway.vault_configured` says. */
            "vendor.harn_gateway.vault_configured"?: {
                /** @description The tenant. */
                tenant: string;
                /** @description The vault. */
                vault: components["schemas"]["Vault"];
            };
            /** @description What `vendor.harn_gateway.vault_created` says. */
            "vendor.harn_gateway.vault_created"?: {
                /** @description The tenant. */
                tenant: string;
                /** @description The vault. */
                vault: components["schemas"]["Vault"];
            };
            /** @description What `vendor.harn_gateway.workspace_created` says. */
            "vendor.harn_gateway.workspace_created"?: {
                /** @description What was left out. */
                members: string[];
                /** @description The Workspace. */
                workspace: components["schemas"]["Workspace"];
            };
            /** @description What `vendor.harn_gateway.workspace_updated` says. */
            "vendor.harn_gateway.workspace_updated"?: {
                /** @description What changed. */
                changes: components["schemas"]["JsonObject"];
            };
        };
        /** @description What a client sends to export bundle. */
        ExportBundleRequest: {
            /**
             * @description Whether the contents of Artifacts come along.
             * @default false
             */
            include_attachments?: boolean;
            /**
             * @description How it is done.
             * @default sanitized
             * @enum {string}
             */
            mode?: "sanitized" | "local" | "replay_only";
            /** @description The Session. */
            session_id?: string;
            /** @description The Task. */
            task_id?: string;
        };
        /** @description Why a Task failed. */
        Failure: {
            /** @description Code for programs, of a closed list. */
            code: string;
            /** @description More facts for programs. */
            details?: components["schemas"]["JsonObject"];
            /** @description What is said. */
            message: string;
            /** @description Which of the forms this is. */
            type?: string;
        };
        /** @description A file, by where it is. */
        FileRefPart: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Media type of the content. */
            mime_type: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "file_ref";
            /** @description Where the content is. */
            uri: string;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description What a client sends to fork session. */
        ForkSessionRequest: {
            /** @description The Event up to which it is taken over. */
            at_event_id?: string | null;
            /** @description The Branch. */
            branch_id?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
        };
        /** @description A kill switch that was thrown: what it stops, and whether it holds. */
        Halt: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "halt";
            /** @description Why, in words; every task that it ends or refuses says so. */
            reason: string;
            /** @description Why it was released; null while it holds. */
            release_reason: string | null;
            /** @description When it was released; null while it holds. */
            released_at: components["schemas"]["Timestamp"] | null;
            /** @description Actor that released it; null while it holds. */
            released_by: string | null;
            /** @description Route of the agent or tool server, for example `a2a:shop`. */
            route: string;
            /** @description The one tool or Skill that is halted, as its agent names it; null: all of it. */
            tool: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description The signed card of an agent of the gateway, with the fields of older and newer clients. */
        HarnAgentCard: {
            /** @description The same, under the name of older clients. */
            a2a_agent_card: components["schemas"]["A2aAgentCard"];
            /** @description The A2A card of the same agent. */
            a2a_card: components["schemas"]["A2aAgentCard"];
            /** @description How callers authenticate. */
            auth_schemes: string[];
            /** @description What it can do. */
            capabilities: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What it is for, in words. */
            description: string;
            /** @description The same, under its newer name. */
            harn_interfaces: components["schemas"]["HarnAgentInterface"][];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description How the agent is reached. */
            interfaces: components["schemas"]["HarnAgentInterface"][];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @enum {string}
             */
            object: "harn_agent_card";
            /** @description Personas that it can be asked as. */
            persona_ids: string[];
            /** @description Version of the protocol. */
            protocol_version: string;
            /** @description Who runs the model, or offers the agent. */
            provider: components["schemas"]["JsonObject"];
            /** @description Origin for clients; null where it is not known. */
            public_url: string | null;
            /** @description Which Receipts are issued. */
            receipt_policy: string | null;
            /** @description The signature, in base64; null where it is not signed. */
            signature: components["schemas"]["CardSignature"] | null;
            /** @description What it can be asked for. */
            skills: components["schemas"]["Skill"][];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description A way to reach the agent. */
        HarnAgentInterface: {
            /**
             * @description How it is called.
             * @enum {string}
             */
            transport: "rest" | "sse" | "websocket" | "a2a" | "mcp" | "acp";
            /** @description The URL. */
            url: string;
        };
        /** @description That the process is alive. */
        Health: {
            /** @description Whether all is well. */
            ok: boolean;
            /** @description The state that it is in. */
            status: string;
            /** @description Its version. */
            version: string;
        };
        /** @description What keeps Sessions from every removal. */
        Hold: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor who set it. */
            created_by: string;
            /** @description When it ends by itself; null: never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "hold";
            /** @description Why, in words; null or absent where nobody said. */
            reason: string;
            /** @description Why it was released; null while it holds. */
            release_reason: string | null;
            /** @description Null while it holds. */
            released_at: components["schemas"]["Timestamp"] | null;
            /** @description Actor who released it; null where it expired. */
            released_by: string | null;
            /** @description The Sessions. */
            session_ids: string[];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description An image, by where it is. */
        ImageRefPart: {
            /** @description The Artifact. */
            artifact_id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Media type of the content. */
            mime_type: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "image_ref";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description What a client sends to install permission policy. */
        InstallPermissionPolicyRequest: {
            /**
             * @description Who is to be asked, in this order; told by a check that suspends.
             * @default []
             */
            escalate_to?: string[];
            /**
             * @description Globs over commands that may be run.
             * @default []
             */
            exec?: string[];
            /**
             * @description Bounds of the use of models.
             * @default {}
             */
            llm?: {
                /** @description What the runs of one Session may cost, by what their agents report. Enforced. */
                cost_ceiling_usd_cents?: number | null;
                /** @description The providers of models. */
                providers?: string[];
            };
            /**
             * @description Globs over hosts that may be reached.
             * @default []
             */
            net?: string[];
            /** @description The same members in this one, as some clients send them. */
            policy?: components["schemas"]["PermissionPolicy"];
            /**
             * @description Globs over what may be read.
             * @default []
             */
            read?: string[];
            /**
             * @description Kept and shown, not enforced: what the gateway takes out is its own list of names and patterns.
             * @default {}
             */
            redact?: {
                /**
                 * @description Bounds of what is logged.
                 * @default []
                 */
                logs?: string[];
                /**
                 * @description The transcript.
                 * @default []
                 */
                transcript?: string[];
            };
            /**
             * @description Globs over what may be written.
             * @default []
             */
            write?: string[];
        };
        /** @description An API key with the key itself, which is shown this once. */
        IssuedApiKey: {
            /** @description Who did it, or who it is for. */
            actor: string;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The key itself, shown this once. */
            key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "api_key";
            /** @description Id of the key that took its place; null for none. */
            replaced_by: string | null;
            /** @description When it was revoked; null while it holds. */
            revoked_at: components["schemas"]["Timestamp"] | null;
            /** @description What the credential may do. */
            scopes: string[];
            /** @description The tenant. */
            tenant_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Workspaces that it may use; `*` all of the tenant. */
            workspaces: string[];
        };
        /** @description Any JSON object. */
        JsonObject: {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description A JSON value. */
        JsonPart: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "json";
            /** @description The value. */
            value: components["schemas"]["JsonValue"];
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description Any JSON value. */
        JsonValue: JsonValue;
        /** @description Public keys that receipts, tree heads and cards are signed with: RFC 7517, with those that were revoked beside them. */
        KeySet: {
            keys: ({
                /** @constant */
                alg: "EdDSA";
                /** @constant */
                crv: "Ed25519";
                kid: string;
                /** @constant */
                kty: "OKP";
                not_after?: components["schemas"]["Timestamp"];
                not_before: components["schemas"]["Timestamp"];
                revoked_at?: components["schemas"]["Timestamp"];
                /** @constant */
                use: "sig";
                x: string;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            })[];
            revoked_keys: ({
                /** @constant */
                alg: "EdDSA";
                /** @constant */
                crv: "Ed25519";
                kid: string;
                /** @constant */
                kty: "OKP";
                not_after?: components["schemas"]["Timestamp"];
                not_before: components["schemas"]["Timestamp"];
                revoked_at?: components["schemas"]["Timestamp"];
                /** @constant */
                use: "sig";
                x: string;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            })[];
        };
        /** @description A client that is attached to a Session, over whichever protocol. */
        LiveSessionClient: {
            /** @description When it came. */
            attached_at: components["schemas"]["Timestamp"];
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description When it last said that it is there. */
            last_seen_at: components["schemas"]["Timestamp"];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description How it is done.
             * @enum {string}
             */
            mode: "observer" | "controller";
            /** @description Who is asked about what. */
            permission_routing: boolean;
            /** @description What is done about texts that try to command the agent. */
            prompt_injection: boolean;
        };
        /** @description What changed among the clients of a Session. */
        LiveSessionClientChange: {
            /** @description The controller now; null for none. */
            active_controller_id: string | null;
            /** @description The live client. */
            client: components["schemas"]["LiveSessionClient"] | null;
            /** @description The live clients. */
            clients: components["schemas"]["LiveSessionClient"][];
            /** @description The controller before; null for none. */
            previous_controller_id: string | null;
        };
        /** @description The clients that are attached to a Session. */
        LiveSessionClientList: {
            /** @description The items of this page. */
            data: components["schemas"]["LiveSessionClient"][];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "list";
        };
        /** @description The rule that was made, and older ones that answer before it. */
        MadeRule: {
            /** @description Glob over actions. */
            action_pattern: string;
            /** @description Whose Tasks it answers for: those of whoever made it, null: of everybody. Vendor member. */
            actor: string | null;
            /** @description Whether the rule allows or denies. */
            allow: boolean;
            /**
             * @description Class of what is done, for rules.
             * @enum {string}
             */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string;
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Older rules of the same scope that match all that this one does and answer otherwise: they are asked first. Revoke them, or choose a narrower scope. Vendor member. */
            overridden_by?: string[];
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description The permission request whose answer it is. One that was answered by an option "always" is about exactly the same question. Vendor member. */
            request_id: string | null;
            /** @description When it was revoked; null while it holds. */
            revoked_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "session" | "workspace" | "user" | "always";
            /** @description Session, workspace or actor it holds for; null: everybody. */
            scope_value: string | null;
            /** @description Glob over targets. */
            target_pattern: string;
            /** @description The tenant. */
            tenant_id: string | null;
        };
        /** @description Something that is remembered from one Task to others. */
        Memory: {
            /** @description How sure who wrote it is of it, from 0 to 1. */
            confidence?: number | null;
            /** @description The content. */
            content: string | components["schemas"]["ArtifactRefPart"] | components["schemas"]["JsonObject"];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Where an embedding of it is kept elsewhere; the gateway makes none. */
            embedding_ref?: string | null;
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "memory";
            /** @description Actor that it belongs to. */
            owner_id: string;
            /** @description Where it comes from. */
            provenance: components["schemas"]["JsonObject"];
            /** @description Kept and given back; what is redacted is decided by the policy of the gateway. */
            redaction_policy?: components["schemas"]["JsonObject"];
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "persona" | "session" | "workspace" | "tenant";
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
            /** @description The Workspace. */
            workspace_id: string | null;
        };
        /** @description What a client sends to merge branch. */
        MergeBranchRequest: {
            /** @description The Branch that it is merged into. */
            into?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
        };
        /** @description A turn of a conversation. */
        Message: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "message";
            /** @description What it is made of: text, JSON, tool calls, files, images, references to Artifacts. */
            parts: components["schemas"]["Part"][];
            /**
             * @description Who speaks: `user`, `assistant`, `system` or `tool`.
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool" | "agent";
            /** @description The Session. */
            session_id: string | null;
            /** @description The Task. */
            task_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description A Message as a client gives it. */
        MessageInput: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description What it is made of: text, JSON, tool calls, files, images, references to Artifacts. */
            parts: components["schemas"]["Part"][];
            /**
             * @description Who speaks: `user`, `assistant`, `system` or `tool`.
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool" | "agent";
        };
        /** @description What a Task came to. */
        Outcome: {
            /** @description The Artifacts. */
            artifacts: components["schemas"]["Artifact"][];
            /** @description What it cost. */
            cost: components["schemas"]["JsonObject"];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Why it failed; null or absent unless it did. */
            failure: components["schemas"]["Failure"] | null;
            /** @description What was handed to other agents. */
            handoffs: components["schemas"]["JsonObject"][];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The Messages. */
            messages: components["schemas"]["Message"][];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description What was measured, by name. */
            metrics: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "outcome";
            /** @description The Receipt that proves it; null where there is none. */
            receipt_id: string | null;
            /** @description The Session. */
            session_id: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "SUCCEEDED" | "FAILED" | "CANCELED";
            /** @description What came of it, in words. */
            summary: string;
            /** @description The Task. */
            task_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description Where a page stands in its list. */
        PageInfo: {
            /** @description Whether there are more items after this page. */
            has_more: boolean;
            /** @description Give it as `cursor` to get the next page; null after the last one. */
            next_cursor: string | null;
        };
        /** @description A piece of a Message. */
        Part: components["schemas"]["TextPart"] | components["schemas"]["JsonPart"] | components["schemas"]["ToolCallPart"] | components["schemas"]["ToolResultPart"] | components["schemas"]["ArtifactRefPart"] | components["schemas"]["FileRefPart"] | components["schemas"]["ImageRefPart"];
        /**
         * @description Who may read a part: everybody who may read the resource, the scope `internal:read`, or nobody but by its hash.
         * @enum {string}
         */
        PartVisibility: "public" | "internal" | "receipt_only";
        /** @description What a client sends to permission check. */
        PermissionCheckRequest: {
            /** @description What is done, in a word. */
            action: string;
            /** @description Who did it, or who it is for. */
            actor: string;
            /**
             * @description Class of what is done, for rules.
             * @enum {string}
             */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            /** @description More facts to decide by. */
            context?: components["schemas"]["JsonObject"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id?: string | null;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description When it was asked. */
            requested_at?: components["schemas"]["Timestamp"];
            /** @description How risky it is held to be. */
            risk?: ("low" | "medium" | "high" | "critical") | null;
            /** @description The Session. */
            session_id: string;
            /** @description What it is done to. */
            target: string;
            /** @description The tenant. */
            tenant_id?: string | null;
            /** @description The Workspace. */
            workspace_id?: string | null;
        };
        /** @description What would be decided. */
        PermissionCheckResponse: {
            /** @description What was decided. */
            decision: {
                /** @description When it ends by itself; null for never. */
                expires_at: components["schemas"]["Timestamp"] | null;
                /**
                 * @description What came of it.
                 * @constant
                 */
                outcome: "granted";
                /** @description Version of the permission policy that decided. */
                policy_version: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description The rule. */
                rule_id: string | null;
                /**
                 * @description How far it reaches.
                 * @enum {string}
                 */
                scope: "session" | "workspace" | "user" | "always";
            } | {
                /**
                 * @description What came of it.
                 * @constant
                 */
                outcome: "denied";
                /** @description Version of the permission policy that decided. */
                policy_version: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
                /** @description The rule. */
                rule_id: string | null;
                /**
                 * @description How far it reaches.
                 * @enum {string}
                 */
                scope: "session" | "workspace" | "user" | "always";
            } | {
                /** @description Who is to be asked; null for nobody. */
                escalate_to: string[];
                /**
                 * @description What came of it.
                 * @constant
                 */
                outcome: "suspend";
                /** @description Version of the permission policy that decided. */
                policy_version: string;
                /** @description Why, in words; null or absent where nobody said. */
                reason: string | null;
            };
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "permission_decision";
            /** @description Id of the request; for an error, quote it in reports. */
            request_id: string;
        };
        /** @description One answer that is offered. */
        PermissionOption: {
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
            /** @description Name for people. */
            name: string;
            /** @description The answer that was chosen of those that are offered. */
            option_id: string;
        };
        /** @description Who may do what, and who is asked. */
        PermissionPolicy: {
            /**
             * @description Who is to be asked, in this order; told by a check that suspends.
             * @default []
             */
            escalate_to?: string[];
            /**
             * @description Globs over commands that may be run.
             * @default []
             */
            exec?: string[];
            /**
             * @description Bounds of the use of models.
             * @default {}
             */
            llm?: {
                /** @description What the runs of one Session may cost, by what their agents report. Enforced. */
                cost_ceiling_usd_cents?: number | null;
                /** @description The providers of models. */
                providers?: string[];
            };
            /**
             * @description Globs over hosts that may be reached.
             * @default []
             */
            net?: string[];
            /**
             * @description Globs over what may be read.
             * @default []
             */
            read?: string[];
            /**
             * @description Kept and shown, not enforced: what the gateway takes out is its own list of names and patterns.
             * @default {}
             */
            redact?: {
                /**
                 * @description Bounds of what is logged.
                 * @default []
                 */
                logs?: string[];
                /**
                 * @description The transcript.
                 * @default []
                 */
                transcript?: string[];
            };
            /**
             * @description Globs over what may be written.
             * @default []
             */
            write?: string[];
        };
        /** @description The permission policy that holds. */
        PermissionPolicyResponse: {
            /** @description Members that are kept and have no effect. Vendor member. */
            not_enforced: string[];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "permission_policy";
            /** @description The policy. */
            policy: components["schemas"]["PermissionPolicy"];
            /** @description Hash over the content. */
            version: string;
        };
        /** @description What is asked. */
        PermissionQuestion: {
            /** @description Actors that have answered. */
            answered_by?: {
                /** @description Version of the permission policy that decided. */
                policy_version: string;
                /** @description The rule. */
                rule_id: string | null;
            };
            /** @description Who allowed what. */
            approvals?: {
                /** @description Actors that have allowed it. */
                approved_by: string[];
                /** @description Whether the one who asked may not answer. */
                four_eyes: boolean;
                /** @description How many have to allow it. */
                quorum: number;
            };
            /** @description When it ends by itself; null for never. */
            expires_at?: components["schemas"]["Timestamp"];
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "authorization" | "elicitation" | "tool";
            /** @description What is said. */
            message: string;
            /** @description The Message. */
            message_id?: string;
            /** @description The answers that are offered. */
            options: components["schemas"]["PermissionOption"][];
            /** @description The rule that answered; null where a person did. */
            remembered_from?: string;
            /** @description JSON Schema of the answer; null where a choice is asked for. */
            requested_schema?: components["schemas"]["JsonValue"];
            /** @description The tool call that is asked about. */
            tool_call?: components["schemas"]["PermissionToolCall"];
            /** @description The URL. */
            url?: string;
        };
        /** @description Something that waits for a person: a permission, or an answer. It can be given over every protocol. */
        PermissionRequest: {
            /** @description What is done, in a word. */
            action: components["schemas"]["JsonValue"];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "permission_request";
            /** @description What is asked. */
            request: components["schemas"]["PermissionQuestion"];
            /** @description The answer; null while nobody answered. */
            response: components["schemas"]["PermissionResponse"] | null;
            /** @description The Session. */
            session_id: string | null;
            /**
             * @description Where it comes from.
             * @enum {string}
             */
            source: "acp" | "hitl";
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "pending" | "approved" | "denied";
            /** @description The Task. */
            task_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description What was answered, by whom. */
        PermissionResponse: {
            /** @description The answer that was asked for. */
            answer: components["schemas"]["JsonValue"] | null;
            /** @description Whether it was allowed. */
            approved: boolean;
            /** @description The Message. */
            message_id: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description The answer that was chosen of those that are offered. */
            option_id: string | null;
            /** @description Version of the permission policy that decided. */
            policy_version?: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /**
             * @description Whether the answer holds for the same question later.
             * @enum {string}
             */
            remembered?: "session" | "workspace" | "user" | "always";
            /** @description The rule that it became; null for none. */
            remembered_as?: string;
            /** @description When it was answered. */
            responded_at: components["schemas"]["Timestamp"];
            /** @description Actor that answers, or has answered. */
            reviewer: string | null;
            /** @description The rule. */
            rule_id?: string | null;
        };
        /** @description What a client sends to permission response. */
        PermissionResponseRequest: {
            /** @description Glob over the action. Default: the action of this request. */
            action_pattern?: string | null;
            /** @description The answer that was asked for. */
            answer?: components["schemas"]["JsonValue"];
            /** @description Whether it was allowed. */
            approved?: boolean;
            /** @description Default: the class of this request. */
            class?: ("read" | "write" | "exec" | "net" | "llm" | "custom") | null;
            /** @description Until when it holds. Default: for good. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Hash of the arguments that were decided on; 409 when the request is about others. */
            input_sha256?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description What came of it.
             * @enum {string}
             */
            outcome?: "approved" | "approve" | "selected" | "denied" | "deny" | "rejected";
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The answer becomes a rule for what is asked later; the members below say which. */
            remember?: boolean | null;
            /** @description Actor that answers, or has answered. */
            reviewer?: string | null;
            /** @description Where it holds. Default: session. */
            scope?: ("session" | "workspace" | "user" | "always") | null;
            /** @description Glob over the target. Default: the target of this request. */
            target_pattern?: string | null;
        };
        /** @description The tool call that is asked about. */
        PermissionToolCall: {
            /** @description What is given: a Message, or an object for an agent that takes one. */
            input?: components["schemas"]["JsonValue"];
            /** @description SHA-256 of the RFC 8785 form of the input. */
            input_sha256?: string;
            /** @description Name for people. */
            name: string;
            /** @description The tool call. */
            tool_call_id: string;
        };
        /** @description As whom an agent works: its capabilities, autonomy and policies. */
        Persona: {
            /**
             * @description shadow calls nothing, suggest asks before each tool, act_with_approval before tools that write, act_auto before destructive ones.
             * @enum {string}
             */
            autonomy_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
            /** @description tool:<side-effect class>, agent:<protocol>, tool:* and agent:* say what its Tasks may use, once one of them is listed. Other words are shown and limit nothing. */
            capabilities: string[];
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            context_packs: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What it is for, in words. */
            description: string;
            /** @description Route of its Tasks when it is one, for example a2a:shop; any other text is kept and chooses none. */
            entry_workflow: string;
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            evals: string[];
            /** @description Routes of the agents its Tasks may be given to besides its own workflow, for example a2a:shop or a2a:*. Empty: all of them. */
            handoffs: string[];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            model_policy: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "persona";
            /** @description Actor that it belongs to. */
            owner: string | null;
            /** @description Quota that the Tasks of this Persona count against. */
            quota_id: string | null;
            /**
             * @description disabled: its Tasks have no Receipts. optional: each has one of its end. required: one of its acceptance too.
             * @enum {string}
             */
            receipt_policy: "required" | "optional" | "disabled";
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            rollout_policy: components["schemas"]["JsonObject"];
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            schedules: components["schemas"]["JsonObject"][];
            /** @description Ids of the Skills its Tasks may call; files__* is every tool of a server. Empty: all of them. */
            tools: string[];
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            triggers: components["schemas"]["JsonObject"][];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Its version. */
            version: string;
        };
        /** @description A kill switch, with what it stopped. */
        PlacedHalt: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string;
            /** @description Tasks that it ended, running ones and those that waited. */
            ended_tasks: number;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "halt";
            /** @description Why, in words; every task that it ends or refuses says so. */
            reason: string;
            /** @description Why it was released; null while it holds. */
            release_reason: string | null;
            /** @description When it was released; null while it holds. */
            released_at: components["schemas"]["Timestamp"] | null;
            /** @description Actor that released it; null while it holds. */
            released_by: string | null;
            /** @description Route of the agent or tool server, for example `a2a:shop`. */
            route: string;
            /** @description The one tool or Skill that is halted, as its agent names it; null: all of it. */
            tool: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Who may do what, and by which rules. */
        PolicyExplanation: {
            /** @description Who did it, or who it is for. */
            actor: string;
            /** @description The checks, in their order. */
            checks: {
                /** @description Name of the check. */
                check: string;
                /**
                 * @description What came of it.
                 * @enum {string}
                 */
                result: "passed" | "decided" | "not_asked";
            }[];
            /** @description The credential. */
            credential: string | null;
            /** @description What was decided. */
            decision: {
                /** @description Why, in words. */
                because: string;
                /**
                 * @description What the rule does.
                 * @enum {string}
                 */
                effect: "allow" | "ask" | "withhold" | "refuse";
                /** @description The rule. */
                rule: string;
            };
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "policy_explanation";
            /** @description Id of an operation of this document. */
            operation: string;
            /** @description Whether an answer would be remembered. */
            remembers: ("never" | "session" | "workspace" | "user" | "always") | null;
            /** @description The resource that it is about. */
            resource: string | null;
            /** @description What it may do to the world, in a word. */
            side_effect: ("read" | "read_external" | "write_idempotent" | "write" | "destructive" | "delegate") | null;
            /** @description The Skill. */
            skill: string | null;
            /** @description Tier of autonomy: shadow, suggest, act_with_approval or act_auto. */
            tier: ("shadow" | "suggest" | "act_with_approval" | "act_auto") | null;
        };
        /** @description Whose access tokens are taken, and how they may be bound: RFC 9728. */
        ProtectedResource: {
            authorization_servers?: string[];
            bearer_methods_supported: string[];
            dpop_bound_access_tokens_required?: boolean;
            dpop_signing_alg_values_supported?: string[];
            resource: string;
            resource_name: string;
            scopes_supported?: string[];
            tls_client_certificate_bound_access_tokens?: boolean;
        };
        /** @description The models that are known: provider catalog of Harn. */
        ProviderCatalog: {
            aliases: components["schemas"]["JsonObject"][];
            families: components["schemas"]["JsonObject"][];
            generated_by: string;
            models: components["schemas"]["JsonObject"][];
            providers: components["schemas"]["JsonObject"][];
            qc_defaults: {
                [key: string]: string;
            };
            routing_routes?: components["schemas"]["JsonObject"][];
            /** @constant */
            schema: "https://harnlang.com/schemas/provider-catalog.v6.json";
            /** @constant */
            schema_version: 6;
            variants: components["schemas"]["JsonObject"][];
        };
        /** @description Where Events of a Task are sent to. */
        PushConfig: {
            /** @description Scheme of the credentials that are sent along; null for none. */
            authentication_scheme: string | null;
            /** @description The live client, named by itself. */
            client_id: string | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Form of what is sent. */
            form: string;
            /** @description Whether a token is sent along. */
            has_token: boolean;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Whether what is sent is signed. */
            is_signed: boolean;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "push_config";
            /** @description The Task. */
            task_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The URL. */
            url: string;
        };
        /** @description What may be used, and what was. */
        Quota: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What was used up; null for nothing. */
            exhaustion_reason: string | null;
            /** @description Above it work is refused. */
            hard_limit: boolean;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The newest Receipt that was counted; null for none. */
            last_receipt_id: string | null;
            /** @description What may be used at most. */
            limits: {
                [key: string]: number;
            };
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "quota";
            /** @description Actor that it belongs to. */
            owner_id: string | null;
            /** @description When the use is counted from 0 again. */
            reset_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "persona" | "workspace" | "tenant" | "organization";
            /** @description Above it is a warning. */
            soft_limit: boolean;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description What was used: tokens, calls, cost. */
            usage: {
                [key: string]: number;
            };
        };
        /** @description Whether new work is taken, and else why not. */
        Readiness: {
            /** @description More facts for programs. */
            details: components["schemas"]["JsonObject"];
            /** @description Whether all is well. */
            ok: boolean;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description The state that it is in. */
            status: string;
        };
        /** @description The signed proof of what a Task did; one link of the chain of its Session. */
        Receipt: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * @description Form of it.
             * @constant
             */
            format: "receipt-2026-04-25";
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description When it was issued. */
            issued_at: components["schemas"]["Timestamp"];
            /** @description Who issued it. */
            issuer: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "receipt";
            /** @description The Session. */
            session_id: string;
            /** @description What it is about. */
            subject: components["schemas"]["ResourcePointer"];
            /** @description What came of it, in words. */
            summary: string;
            /** @description The Task. */
            task_id: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description What its check said; null while it was not checked. */
            verification: components["schemas"]["ReceiptVerification"] | null;
            /** @description The signed bytes, and what they say. */
            wire: components["schemas"]["ReceiptWireEnvelope"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description Proof that the log only grew. Spec: RFC 6962, 2.1.2. */
        ReceiptLogConsistency: {
            /** @description Size of the older tree. */
            first: {
                /** @description Root of it. */
                root: string;
                /** @description How many there are, or how many bytes. */
                size: number;
            };
            /** @description The signed head of the tree that it is proved for. */
            head: components["schemas"]["ReceiptLogHead"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "receipt_log_consistency";
            /** @description Hashes of the proof, in the order of RFC 6962. */
            proof: string[];
            /** @description Size of the newer tree. */
            second: {
                /** @description Root of it. */
                root: string;
                /** @description How many there are, or how many bytes. */
                size: number;
            };
        };
        /** @description Signed head of the tree over all Receipts. Spec: RFC 6962, 2.1. */
        ReceiptLogHead: {
            /**
             * @description The algorithm.
             * @constant
             */
            algorithm: "ed25519";
            /** @description Id of the key. */
            key_id: string;
            /** @description Id of the log. */
            log_id: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "receipt_log_head";
            /** @description Root of it. */
            root: string;
            /** @description The signature, in base64; null where it is not signed. */
            signature: string;
            /** @description How many there are, or how many bytes. */
            size: number;
            /** @description When, in milliseconds since 1970-01-01 or as a time of RFC 3339. */
            timestamp: components["schemas"]["Timestamp"];
        };
        /** @description Proof that a Receipt is in the log. Spec: RFC 6962, 2.1.1. */
        ReceiptLogInclusion: {
            /** @description The signed head of the tree that it is proved for. */
            head: components["schemas"]["ReceiptLogHead"];
            /** @description Its place, from 0. */
            index: number;
            /** @description Hash of the leaf. Spec: RFC 6962, 2.1. */
            leaf_hash: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "receipt_log_inclusion";
            /** @description Hashes of the proof, in the order of RFC 6962. */
            proof: string[];
            /** @description `sha256:` and the SHA-256 of the RFC 8785 form of the Receipt, in hexadecimal. */
            receipt_hash: string;
            /** @description The Receipt that proves it; null where there is none. */
            receipt_id: string;
            /** @description Root of it. */
            root: string;
            /** @description How many there are, or how many bytes. */
            size: number;
        };
        /**
         * Harn Agents Protocol Receipt
         * @description The signed content of a Receipt: receipt-2026-04-25 of Harn. RFC 8785 bytes of it are what is hashed and signed.
         */
        ReceiptPayload: {
            approvals?: {
                action: string;
                actor: string;
                approval_id?: string;
                /** Format: date-time */
                decided_at: string;
                /** @enum {string} */
                decision: "approved" | "denied" | "canceled" | "timeout";
                evidence_hash?: string;
                quorum_proof?: components["schemas"]["JsonObject"] | null;
            }[];
            autonomy_budget: {
                consumed: {
                    input_tokens?: number;
                    output_tokens?: number;
                    tool_calls?: number;
                    usd?: number;
                    wall_time_ms?: number;
                };
                limit?: {
                    input_tokens?: number;
                    output_tokens?: number;
                    tool_calls?: number;
                    usd?: number;
                    wall_time_ms?: number;
                };
            };
            chain: {
                merkle_root?: string;
                previous_receipt_hash: string | null;
                receipt_hash: string;
            };
            cost: {
                currency: string;
                provider_breakdown: {
                    amount: number;
                    input_tokens?: number;
                    metadata?: components["schemas"]["JsonObject"];
                    model?: string;
                    output_tokens?: number;
                    provider: string;
                }[];
                total: number;
            };
            deltas?: {
                after_sha256?: string | null;
                artifact_id?: string;
                before_sha256?: string | null;
                delta_id?: string;
                event_id?: string;
                /** @enum {string} */
                operation: "add" | "replace" | "remove";
                override_key?: string;
                path: string;
                reason?: string;
            }[];
            final_artifacts: {
                artifact_id: string;
                kind: string;
                sha256?: string;
                uri?: string;
            }[];
            identifiers: {
                branch_id?: string;
                persona_ref?: string;
                session_id: string;
                task_id: string;
                tenant_id?: string;
                trace_id?: string;
                workspace_ref: string;
            };
            /** Format: date-time */
            issued_at: string;
            issuer: {
                id: string;
                /** @enum {string} */
                kind: "harness" | "host" | "agent" | "connector";
                name?: string;
                public_key_id?: string;
                version?: string;
            };
            lifecycle: {
                /** Format: date-time */
                completed_at: string;
                /** Format: date-time */
                created_at?: string;
                failure?: components["schemas"]["JsonObject"] | null;
                /** @enum {string} */
                final_state: "SUCCEEDED" | "FAILED" | "CANCELED";
                /** Format: date-time */
                started_at: string;
            };
            metadata?: components["schemas"]["JsonObject"];
            model_route: {
                alternatives_considered: {
                    model: string;
                    provider: string;
                    reason?: string;
                    version?: string;
                }[];
                chosen_model: {
                    model: string;
                    provider: string;
                    reason?: string;
                    version?: string;
                };
                route_policy_reason: string;
            };
            receipt_id: string;
            redactions?: {
                field: string;
                proof_hash?: string;
                reason: string;
            }[];
            replay_input: {
                /** @enum {string} */
                determinism: "byte_deterministic" | "best_effort" | "unavailable";
                materials: ({
                    bytes_base64?: string;
                    content_type?: string;
                    id?: string;
                    /** @enum {string} */
                    kind: "llm_provider_response" | "mcp_tool_return" | "event_log" | "artifact" | "host_fact";
                    metadata?: components["schemas"]["JsonObject"];
                    sha256?: string;
                    uri?: string;
                } | unknown | unknown | unknown)[];
                unavailable_reason?: string;
            };
            /** @constant */
            schema: "receipt-2026-04-25";
            side_effects: {
                a2a_handoffs: {
                    receipt_id?: string;
                    /** @enum {string} */
                    status: "accepted" | "rejected" | "failed" | "completed";
                    target_agent: string;
                    task_id: string;
                }[];
                fs_writes: {
                    after_sha256?: string | null;
                    before_sha256?: string | null;
                    /** @enum {string} */
                    operation: "create" | "modify" | "delete" | "rename";
                    path: string;
                }[];
                network_egress: {
                    bytes_sent?: number;
                    destination: string;
                    metadata?: components["schemas"]["JsonObject"];
                    purpose: string;
                }[];
                tool_calls: {
                    call_id: string;
                    input_hash?: string;
                    metadata?: components["schemas"]["JsonObject"];
                    output_hash?: string;
                    /** @enum {string} */
                    status: "succeeded" | "failed" | "canceled";
                    tool: string;
                }[];
            };
            signatures?: {
                algorithm: string;
                key_id: string;
                signature: string;
                /** Format: date-time */
                signed_at?: string;
            }[];
            subject: {
                id: string;
                /** @enum {string} */
                object: "task" | "outcome" | "event" | "artifact" | "approval" | "tool_call" | "replay_segment";
            };
            trust: {
                /** @enum {string} */
                end_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
                policy_ref?: string;
                /** @enum {string} */
                start_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
            };
        };
        /** @description Whether a Receipt verifies, with the chain before it; else the step that fails. */
        ReceiptVerification: {
            /** @description When it was checked. */
            checked_at: components["schemas"]["Timestamp"];
            /** @description More facts for programs. */
            details: components["schemas"]["JsonObject"];
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description Whether it is. */
            valid: boolean;
        };
        /** @description What is signed, and the signature. */
        ReceiptWireEnvelope: {
            /** @description When it was issued. */
            issued_at: components["schemas"]["Timestamp"];
            /** @description What the Event says; its form depends on the kind, see `EventPayloads`. */
            payload: components["schemas"]["ReceiptPayload"];
            /**
             * @description Version of the schema.
             * @constant
             */
            schema_version: "receipt-2026-04-25";
            /** @description The signature, in base64; null where it is not signed. */
            signature: {
                /** @description The algorithm. */
                algorithm: string;
                /** @description Id of the key. */
                key_id: string;
                /** @description The value. */
                value: string;
            } | null;
            /** @description What it is about. */
            subject: components["schemas"]["ResourcePointer"];
        };
        /** @description What a client sends to register artifact. */
        RegisterArtifactRequest: {
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "file" | "patch" | "image" | "log" | "diff" | "receipt" | "snapshot" | "dataset" | "other";
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Media type of the content. */
            mime_type: string;
            /** @description The Session. */
            session_id?: string | null;
            /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
            sha256?: string | null;
            /** @description The Task. */
            task_id?: string | null;
            /** @description Where the content is. */
            uri?: string | null;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
            /** @description The Workspace. */
            workspace_id?: string | null;
        };
        /** @description What a client sends to release halt. */
        ReleaseHaltRequest: {
            /** @description Why it may run again. */
            reason?: string;
        };
        /** @description What a client sends to release hold. */
        ReleaseHoldRequest: {
            /** @description Why, for the record. */
            reason: string;
        };
        /** @description What a new configuration changed, and what needs a restart. */
        Reload: {
            /** @description Changed options that are in effect. */
            applied: string[];
            /** @description Changed options that take effect at the next start. */
            needs_restart: string[];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "reload";
            /**
             * Format: date-time
             * @description When the configuration was read.
             */
            reloaded_at: string;
            /** @description Tasks that run on a replaced or removed agent end there. */
            routes: {
                /** @description What was added. */
                added: string[];
                /** @description What was taken away. */
                removed: string[];
                /** @description What was changed. */
                replaced: string[];
            };
        };
        /** @description An answer that holds for the same question later. */
        RememberRule: {
            /** @description Glob over actions. */
            action_pattern: string;
            /** @description Whose Tasks it answers for: those of whoever made it, null: of everybody. Vendor member. */
            actor: string | null;
            /** @description Whether the rule allows or denies. */
            allow: boolean;
            /**
             * @description Class of what is done, for rules.
             * @enum {string}
             */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string;
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason: string | null;
            /** @description The permission request whose answer it is. One that was answered by an option "always" is about exactly the same question. Vendor member. */
            request_id: string | null;
            /** @description When it was revoked; null while it holds. */
            revoked_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description How far it reaches.
             * @enum {string}
             */
            scope: "session" | "workspace" | "user" | "always";
            /** @description Session, workspace or actor it holds for; null: everybody. */
            scope_value: string | null;
            /** @description Glob over targets. */
            target_pattern: string;
            /** @description The tenant. */
            tenant_id: string | null;
        };
        /** @description What became of a sample of ended Tasks that was replayed. */
        ReplayCheck: {
            /** @description When it ended; null while it goes on. */
            ended_at: string | null;
            /** @description The first 1000, in the order of the ids. */
            findings: {
                /**
                 * @description What came of it.
                 * @enum {string}
                 */
                outcome: "diverged" | "tampered" | "failed";
                /** @description The Task. */
                task_id: string;
                /** @description The first difference; null where the gateway failed. */
                verdict: ({
                    /** @description Hash over the recorded Events. */
                    record_hash: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "byte_equal";
                } | {
                    /** @description The Event. */
                    event_id: string | null;
                    /** @description What is recorded, or was asked for. */
                    expected: string | null;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string | null;
                    /** @description Path in the Workspace, relative to its root. */
                    path: string;
                    /** @description How many could not be compared, as secrets were taken out. */
                    redacted_material?: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "diverged";
                } | {
                    /** @description What is recorded, or was asked for. */
                    expected: string;
                    /** @description Its place, from 0. */
                    index: number;
                    /** @description What is there. */
                    observed: string;
                    /**
                     * @description The state that it is in.
                     * @constant
                     */
                    status: "tamper_detected";
                    /** @description Where it ends. */
                    through?: string;
                    /** @description Where it begins. */
                    where: string;
                }) | null;
            }[];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "replay_check";
            /** @description Which part of all was chosen. */
            sample: number;
            /** @description What the choice was drawn with. */
            seed: string;
            /**
             * Format: date-time
             * @description From when on.
             */
            since: string;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /**
             * @description FAILED: it ended before its last Task.
             * @enum {string}
             */
            status: "RUNNING" | "COMPLETED" | "FAILED";
            /** @description The Tasks. */
            tasks: {
                /** @description How many came out with the recorded bytes. */
                byte_equal: number;
                /** @description How many came out as another run. */
                diverged: number;
                /** @description The gateway itself failed; its log says why. */
                failed: number;
                /** @description Not all that a replay needs is there, for example after retention. */
                incomplete: number;
                /** @description Replayed so far. */
                sampled: number;
                /** @description How many are not what was written. */
                tampered: number;
            };
        };
        /** @description What a client sends to replay check. */
        ReplayCheckRequest: {
            /**
             * @description Share of the ended Tasks, for example 0.01.
             * @default 0.01
             */
            sample?: number;
            /**
             * @description Another seed takes other Tasks; they are drawn by a hash of it and their id.
             * @default harn
             */
            seed?: string;
            /**
             * Format: date-time
             * @description Only Tasks that ended at this time or later. Default: 24 hours ago.
             */
            since?: string;
        };
        /** @description Of which recorded Event an Event of a replay is the repetition. */
        ReplayEventMetadata: {
            /** @description How it is done. */
            mode: components["schemas"]["ReplayMode"];
            /** @description The recorded Event that it repeats; null for none. */
            original_event_id: string | null;
            /** @description Name of a recorded frame in which a replay may put another value. */
            override_key: string | null;
            /** @description The difference in the Receipt that it leads to; null for none. */
            receipt_delta_id: string | null;
            /** @description Where the replay stands. */
            replay_cursor: string | null;
            /** @description The Task that the replay is. */
            replay_task_id: string;
            /** @description The Task that was replayed. */
            source_task_id: string;
        };
        /**
         * @description How faithful a replay has to be.
         * @enum {string}
         */
        ReplayMode: "exact" | "with_overrides" | "from_checkpoint";
        /** @description Another value for a recorded frame. */
        ReplayOverride: {
            /** @description The Artifact. */
            artifact_id?: string | null;
            /** @description The Event. */
            event_id?: string | null;
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "llm_provider_response" | "mcp_tool_return" | "secret_value" | "time" | "host_fact" | "tool_result" | "event_payload" | "checkpoint_value";
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
            sha256?: string | null;
            /** @description What it is done to. */
            target?: string | null;
            /** @description The value. */
            value?: components["schemas"]["JsonValue"];
            /**
             * @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown.
             * @default receipt_only
             * @enum {string}
             */
            visibility?: "public" | "internal" | "receipt_only";
        };
        /** @description What a client sends to replay session. */
        ReplaySessionRequest: {
            /** @description The Event of that boundary. */
            checkpoint_event_id?: string | null;
            /** @description Where it goes on from: the boundary that an Event of the Task names. */
            checkpoint_id?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description How it is done.
             * @default exact
             */
            mode?: components["schemas"]["ReplayMode"];
            /**
             * @description Other values for recorded frames, by their override keys.
             * @default {}
             */
            override?: {
                [key: string]: components["schemas"]["ReplayOverride"];
            };
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description Replays only the Tasks of this W3C trace. */
            trace_id?: string | null;
        };
        /** @description What a client sends to replay task. */
        ReplayTaskRequest: {
            /** @description The Event of that boundary. */
            checkpoint_event_id?: string | null;
            /** @description Where it goes on from: the boundary that an Event of the Task names. */
            checkpoint_id?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description How it is done.
             * @default exact
             */
            mode?: components["schemas"]["ReplayMode"];
            /**
             * @description Other values for recorded frames, by their override keys.
             * @default {}
             */
            override?: {
                [key: string]: components["schemas"]["ReplayOverride"];
            };
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
        };
        /** @description A resource by its kind and id. */
        ResourcePointer: {
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Which kind of resource this is. */
            object: string;
        };
        /** @description What a client sends to rotate api key. */
        RotateApiKeyRequest: {
            /**
             * @description How long the old key still works beside the new one.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        /** @description What runs here, and how much it holds. */
        RuntimeMetadata: {
            /** @description What runs the Tasks. */
            adapter: string;
            /** @description What it can do. */
            capabilities: components["schemas"]["Capability"][];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "runtime";
            /** @description Version of the protocol. */
            protocol_version: string;
            /** @description How many Sessions there are. */
            session_count: number;
            /** @description How many Tasks there are. */
            task_count: number;
            /** @description Its version. */
            version: string;
        };
        /** @description Version of the gateway, and of the protocol. */
        RuntimeVersion: {
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "version";
            /** @description Version of the protocol. */
            protocol_version: string;
            /** @description Its version. */
            version: string;
        };
        /** @description A conversation: what Tasks, Messages, Artifacts and Receipts belong to. */
        Session: {
            /** @description The Branch. */
            branch_id: string | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it ends by itself; null for never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The newest Event of it; follow its stream from there. */
            last_event_id: string | null;
            /** @description Clients that are attached now. */
            live_clients?: components["schemas"]["LiveSessionClient"][];
            /** @description The client that controls it; null for none. */
            live_controller_id?: string | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description How far its next Task may go by itself; in an Event what held then.
             * @enum {string}
             */
            mode_id?: "ask" | "architect" | "code" | "shadow";
            /** @description Absent where there is none. */
            model_policy?: components["schemas"]["SessionModelPolicy"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "session";
            /** @description The Session that it was forked from; null for none. */
            parent_session_id: string | null;
            /** @description The Persona. */
            persona_id: string | null;
            /** @description The first of the Sessions that were forked from each other. */
            root_session_id: string | null;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            state: "ACTIVE" | "IDLE" | "PAUSED" | "CLOSED" | "FAILED";
            /** @description What came of it, in words. */
            summary: string | null;
            /** @description The transcript. */
            transcript: components["schemas"]["JsonObject"];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description A run as a document: session bundle v1 of Harn. */
        SessionBundle: {
            /** @constant */
            _type: "harn_session_bundle";
            attachments: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            bundle_id: string;
            created_at: string;
            metadata?: components["schemas"]["JsonObject"];
            permissions: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            producer: {
                name: string;
                schema_id: string;
                version: string;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            redaction: {
                entries: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                /** @enum {string} */
                mode: "sanitized" | "local" | "replay_only";
                placeholder: string;
                policy: string;
                unsafe_secret_markers_rejected: boolean;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            replay: {
                checkpoints: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                deterministic_events: ({
                    index: number;
                    source: string;
                    value: components["schemas"]["JsonValue"];
                } & {
                    [key: string]: components["schemas"]["JsonValue"];
                })[];
                event_log_pointers: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                observability?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                replay_fixture?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                run_record?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                trace_spans: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                transitions: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                verification_outcomes?: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                worker_snapshots?: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            runtime: {
                harn_version: string;
                metadata?: {
                    [key: string]: components["schemas"]["JsonValue"];
                };
                provider_models: string[];
                usage?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            schema_version: number;
            source: {
                child_run_count?: number;
                finished_at?: string | null;
                kind: string;
                parent_run_id?: string | null;
                persisted_path?: string | null;
                root_run_id?: string | null;
                run_record_id: string;
                started_at?: string;
                status: string;
                task: string;
                workflow_id: string;
                workflow_name?: string | null;
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            tools: {
                calls: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[];
                schemas: ({
                    index: number;
                    source: string;
                    value: components["schemas"]["JsonValue"];
                } & {
                    [key: string]: components["schemas"]["JsonValue"];
                })[];
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            transcript: {
                sections: ({
                    assets: components["schemas"]["JsonValue"][];
                    events: components["schemas"]["JsonValue"][];
                    id: string;
                    label: string;
                    location: string;
                    messages: components["schemas"]["JsonValue"][];
                    metadata: {
                        [key: string]: components["schemas"]["JsonValue"];
                    };
                    scope: string;
                    summary?: string | null;
                } & {
                    [key: string]: components["schemas"]["JsonValue"];
                })[];
            } & {
                [key: string]: components["schemas"]["JsonValue"];
            };
            workspace?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description What a client sends to session client. */
        SessionClientRequest: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
        };
        /** @description What a client sends to session inputs. */
        SessionInputsRequest: {
            /**
             * @description Which kind of it this is.
             * @constant
             */
            kind: "list";
        } | {
            /**
             * @description Which kind of it this is.
             * @constant
             */
            kind: "put";
            /**
             * @description Whether it takes the place of all that were there.
             * @default false
             */
            replace?: boolean;
            /** @description What it is, in the form of its kind. */
            spec: {
                /**
                 * @description Which kind of it this is.
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @description How long it holds.
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "saved";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "until";
                    /** @description Milliseconds since 1970-01-01 in UTC. */
                    unix_ms: number;
                };
                /** @description Name for people. */
                name: string;
                /**
                 * @description What was used: tokens, calls, cost.
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session_tools";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "websites";
                    /** @description Where it comes from. */
                    origins: string[];
                };
            };
            /** @description The value. */
            value: string;
        } | {
            /**
             * @description Which kind of it this is.
             * @constant
             */
            kind: "remove";
            /** @description Name for people. */
            name: string;
        } | {
            /**
             * @description Which kind of it this is.
             * @constant
             */
            kind: "sync";
            /** @description The state of all of it. */
            snapshot: {
                /**
                 * @description The inputs.
                 * @default []
                 */
                inputs?: {
                    /** @description What it is, in the form of its kind. */
                    spec: {
                        /**
                         * @description Which kind of it this is.
                         * @default secret
                         * @enum {string}
                         */
                        kind?: "secret" | "variable";
                        /**
                         * @description How long it holds.
                         * @default {
                         *       "kind": "session"
                         *     }
                         */
                        lifetime?: {
                            /**
                             * @description Which kind of it this is.
                             * @constant
                             */
                            kind: "session";
                        } | {
                            /**
                             * @description Which kind of it this is.
                             * @constant
                             */
                            kind: "saved";
                        } | {
                            /**
                             * @description Which kind of it this is.
                             * @constant
                             */
                            kind: "until";
                            /** @description Milliseconds since 1970-01-01 in UTC. */
                            unix_ms: number;
                        };
                        /** @description Name for people. */
                        name: string;
                        /**
                         * @description What was used: tokens, calls, cost.
                         * @default {
                         *       "kind": "session_tools"
                         *     }
                         */
                        usage?: {
                            /**
                             * @description Which kind of it this is.
                             * @constant
                             */
                            kind: "session_tools";
                        } | {
                            /**
                             * @description Which kind of it this is.
                             * @constant
                             */
                            kind: "websites";
                            /** @description Where it comes from. */
                            origins: string[];
                        };
                    };
                    /** @description The value. */
                    value: string;
                }[];
                /**
                 * @description What was taken out.
                 * @default []
                 */
                redactions?: string[];
                /** @description Number of its state, which grows by one with each change. */
                revision: number;
                /** @description Id that the source gave it. */
                sourceId: string;
            };
        };
        /** @description What became of the inputs. */
        SessionInputsResponse: {
            /** @description What took effect. */
            applied?: boolean;
            /** @description How it reached the agent. */
            delivery: {
                /**
                 * @description What stays as it was.
                 * @constant
                 */
                kept: "memory";
                /** @description What is said. */
                message: string;
                /** @description What took it. */
                taken_by: {
                    /** @description Name for people. */
                    name: string;
                    /** @description Routes of agents, by what became of them. */
                    routes: string[];
                }[];
                /** @description Who was notified. */
                told: string[];
            };
            /** @description What is given: a Message, or an object for an agent that takes one. */
            input?: {
                /**
                 * @description Which kind of it this is.
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @description How long it holds.
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "saved";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "until";
                    /** @description Milliseconds since 1970-01-01 in UTC. */
                    unix_ms: number;
                };
                /** @description Name for people. */
                name: string;
                /**
                 * @description What was used: tokens, calls, cost.
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session_tools";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "websites";
                    /** @description Where it comes from. */
                    origins: string[];
                };
                /** @description The value. */
                value?: string;
            };
            /** @description The inputs. */
            inputs?: {
                /**
                 * @description Which kind of it this is.
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @description How long it holds.
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "saved";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "until";
                    /** @description Milliseconds since 1970-01-01 in UTC. */
                    unix_ms: number;
                };
                /** @description Name for people. */
                name: string;
                /**
                 * @description What was used: tokens, calls, cost.
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "session_tools";
                } | {
                    /**
                     * @description Which kind of it this is.
                     * @constant
                     */
                    kind: "websites";
                    /** @description Where it comes from. */
                    origins: string[];
                };
                /** @description The value. */
                value?: string;
            }[];
            /** @description What was taken away. */
            removed?: boolean;
        };
        /** @description Which model is wished for. */
        SessionModelPolicy: {
            /** @description The model. */
            model: string;
            /** @description Who runs the model, or offers the agent. */
            provider: string;
            /**
             * @description How hard the model should think.
             * @enum {string}
             */
            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
        };
        /** @description What a client sends to set push config. */
        SetPushConfigRequest: {
            /** @description Sent as "Authorization: <scheme> <credentials>". Bearer without credentials: a JWT (EdDSA, keys at /.well-known/jwks.json) with iss, aud (origin of the URL), sub (id of the Task), iat, exp, jti and request_body_sha256. */
            authentication?: {
                /** @description The credentials; kept encrypted, and never shown. */
                credentials?: string;
                /** @description The scheme. */
                scheme: string;
            };
            /** @description Name of the caller; the config of this name, if any, is replaced. */
            client_id?: string;
            /**
             * @description How events are posted; harn posts {task, event}.
             * @default harn
             */
            form?: string;
            /**
             * @description now: what happens from now on, which is nothing when the Task is over; beginning: all events of the Task.
             * @default now
             * @enum {string}
             */
            from?: "now" | "beginning";
            /** @description Key of X-Harn-Signature: t=<unix s>,v1=<hex HMAC-SHA256 over "<t>.<body>">. */
            secret?: string;
            /** @description Sent as X-A2A-Notification-Token and A2A-Notification-Token. */
            token?: string;
            /** @description Receiver: https, at a public address; a host that does not resolve yet is tried at each delivery. */
            url: string;
        };
        /** @description A key that Receipts are signed with, without its private half. */
        SigningKey: {
            /**
             * @description The algorithm.
             * @constant
             */
            algorithm: "Ed25519";
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description When it ceases to hold; null for open. */
            not_after: components["schemas"]["Timestamp"] | null;
            /** @description When it begins to hold. */
            not_before: components["schemas"]["Timestamp"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "signing_key";
            /** @description The public key. */
            public_key: string;
            /** @description When it was revoked; null while it holds. */
            revoked_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "current" | "retired" | "revoked";
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Something that agents or tools can be asked for. */
        Skill: {
            /** @description What it can do. */
            capabilities: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether it will go away. */
            deprecated: boolean;
            /** @description What it is for, in words. */
            description: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description JSON Schema of what it takes; null where it takes any. */
            input_schema: components["schemas"]["JsonObject"] | null;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "skill";
            /** @description JSON Schema of what it answers; null where that is not said. */
            output_schema: components["schemas"]["JsonObject"] | null;
            /** @description Whether a person is asked before it is called. */
            requires_approval: boolean;
            /** @description Where it comes from. */
            source: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Its version. */
            version: string | null;
        };
        /** @description What a client sends to submit task. */
        SubmitTaskRequest: {
            /** @description The Branch. */
            branch_id?: string | null;
            /** @description What is given: a Message, or an object for an agent that takes one. */
            input: components["schemas"]["MessageInput"] | components["schemas"]["JsonObject"];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description The Task that it was handed off from or continues; null for none. */
            parent_task_id?: string | null;
            /** @description The Persona. */
            persona_id?: string | null;
            /** @description The Session, or how to make one. */
            session?: components["schemas"]["TaskSession"];
            /** @description The Session. */
            session_id?: string;
            /** @description The Workspace. */
            workspace_id?: string;
        };
        /** @description One piece of work of an agent, from its submission to its Outcome. */
        Task: {
            /** @description The agent that it runs on; null until one is chosen. */
            assigned_agent_id: string | null;
            /** @description The Branch. */
            branch_id: string | null;
            /** @description When it was canceled; null unless it was. */
            canceled_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was completed; null unless it was. */
            completed_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor that made it. */
            created_by: string;
            /** @description Why it failed; null or absent unless it did. */
            failure: components["schemas"]["Failure"] | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description What is given: a Message, or an object for an agent that takes one. */
            input: components["schemas"]["Message"] | components["schemas"]["JsonObject"];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "task";
            /** @description The Outcome; null until the Task has ended. */
            outcome_id: string | null;
            /** @description The Task that it was handed off from or continues; null for none. */
            parent_task_id: string | null;
            /** @description The Persona. */
            persona_id: string | null;
            /** @description The Quota. */
            quota_id: string | null;
            /** @description The Receipt that proves it; null where there is none. */
            receipt_id: string | null;
            /** @description The Session. */
            session_id: string;
            /** @description When it began. */
            started_at: components["schemas"]["Timestamp"] | null;
            /** @description The state that it is in. */
            status: components["schemas"]["TaskStatus"];
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description A recorded frame of a Task, and the key by which a replay may put another in its place. */
        TaskMaterial: {
            /** @description Override key, for POST /v1/tasks/{task_id}/replay. */
            id: string;
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "llm_provider_response" | "mcp_tool_return" | "host_fact";
            /** @description Place in the run, from 1 on. */
            n: number;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "task_material";
            /** @description Commitment to the frame as it came, where secrets were replaced before it was recorded. */
            proof_hash?: string;
            /** @description Of the RFC 8785 bytes of the frame. */
            sha256: string;
        };
        /** @description The Session of a Task, or how to make one. */
        TaskSession: {
            /** @description The key. */
            key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Whether its Tasks may run at once. */
            parallel?: boolean;
            /** @description The Workspace. */
            workspace_id: string;
        };
        /**
         * @description The state of a Task; the section Tasks has its moves.
         * @enum {string}
         */
        TaskStatus: "SUBMITTED" | "WORKING" | "INPUT_REQUIRED" | "AUTH_REQUIRED" | "COMPLETED" | "FAILED" | "CANCELED";
        /** @description Text. */
        TextPart: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description The text. */
            text: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "text";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /**
         * Format: date-time
         * @description Time of RFC 3339 in UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description An operation of this gateway as a tool. */
        Tool: {
            /** @description What it is for, in words. */
            description: string;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description JSON Schema of what it takes; null where it takes any. */
            input_schema: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "tool";
            /** @description JSON Schema of what it answers; null where that is not said. */
            output_schema: components["schemas"]["JsonObject"];
        };
        /** @description A call of a tool. */
        ToolCallPart: {
            /** @description What is given: a Message, or an object for an agent that takes one. */
            input: components["schemas"]["JsonObject"];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /** @description The tool call. */
            tool_call_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "tool_call";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description What a tool answered. */
        ToolResultPart: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description What came of it. */
            output: components["schemas"]["JsonValue"];
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "ok" | "error";
            /** @description The tool call. */
            tool_call_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "tool_result";
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description A Session as a conversation, made of its Messages, Events and Artifacts. */
        Transcript: {
            /**
             * @description Kind of the document.
             * @constant
             */
            _type: "transcript";
            /** @description Contents that are too large to stand in the text. */
            assets: components["schemas"]["TranscriptAsset"][];
            /** @description The Events. */
            events: components["schemas"]["TranscriptEvent"][];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description The Messages. */
            messages: components["schemas"]["TranscriptMessage"][];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            state: "active" | "closed" | "failed";
            /** @description What compaction says of the archived turns. */
            summary: string | null;
            /**
             * @description Its version.
             * @constant
             */
            version: 2;
        };
        /** @description A content that does not stand in the transcript itself. */
        TranscriptAsset: {
            /**
             * @description Kind of the document.
             * @constant
             */
            _type: "transcript_asset";
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Which kind of it this is. */
            kind: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Media type of the content. */
            mime_type: string;
            /** @description Name for people. */
            name: string | null;
            /** @description Where it is kept. */
            storage: {
                /** @description Path in the Workspace, relative to its root. */
                path: string | null;
                /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
                sha256: string | null;
                /** @description How many there are, or how many bytes. */
                size: number | null;
                /** @description Where the content is. */
                uri: string | null;
            };
            /** @description The Task. */
            task_id: string | null;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description A piece of a turn. */
        TranscriptBlock: {
            /** @description Which of the forms this is. */
            type: string;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description Something that happened between turns. */
        TranscriptEvent: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"] | null;
            /** @description The kind of Event, or the Event itself. */
            event: string | null;
            /** @description The Event. */
            event_id: string | null;
            /** @description Which kind of it this is. */
            kind: string;
            /** @description Who may read it: `public` everybody who may read the resource, `internal` the scope `internal:read`, `receipt_only` nobody: only its hash is shown. */
            visibility: components["schemas"]["PartVisibility"];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description A turn of a transcript. */
        TranscriptMessage: {
            /** @description The content. */
            content: components["schemas"]["TranscriptBlock"][];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Its place, from 0. */
            position: number;
            /**
             * @description Who speaks: `user`, `assistant`, `system` or `tool`.
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool" | "agent";
            /** @description The Task. */
            task_id: string | null;
        };
        /** @description What a client sends to truncate session. */
        TruncateSessionRequest: {
            /** @description How many turns are kept. */
            keep_first: number;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string;
        };
        /** @description What a truncation left. */
        TruncateSessionResponse: {
            /** @description How many turns were kept. */
            kept_turn_count: number;
            /** @description The newest turn that is left; null for none. */
            new_tip_turn_id: string | null;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "session.truncate_result";
            /** @description How many turns were removed. */
            removed_turn_count: number;
            /** @description The Session, or how to make one. */
            session: components["schemas"]["Session"];
            /** @description The Session. */
            session_id: string;
        };
        /** @description An entry of the trust graph: what an agent was allowed, and what came of it. */
        TrustRecord: {
            /** @description What is done, in a word. */
            action: string;
            /** @description The agent. */
            agent: string;
            /** @description Actor that allowed it; null for nobody. */
            approver?: string | null;
            /**
             * @description Tier of autonomy: shadow, suggest, act_with_approval or act_auto.
             * @enum {string}
             */
            autonomy_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
            /** @description Its place in the chain, from 0. */
            chain_index: number;
            /** @description What it cost in US dollars. */
            cost_usd?: number | null;
            /** @description Hash of this entry. */
            entry_hash: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description What came of it.
             * @enum {string}
             */
            outcome: "success" | "failure" | "denied" | "timeout";
            /** @description Hash of the entry before; null for the first. */
            previous_hash: string | null;
            /** @description Id of the record. */
            record_id: string;
            /**
             * @description Its schema.
             * @enum {string}
             */
            schema: "opentrustgraph/v0" | "opentrustgraph/v0.1";
            /**
             * Format: date-time
             * @description When, in milliseconds since 1970-01-01 or as a time of RFC 3339.
             */
            timestamp: string;
            /** @description W3C trace that it belongs to; null for none. */
            trace_id: string;
        };
        /** @description What a client sends to update persona. */
        UpdatePersonaRequest: {
            /** @description What it is for, in words. */
            description?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Quota that the Tasks of this Persona count against. */
            quota_id?: string | null;
            /**
             * @description disabled: its Tasks have no Receipts. optional: each has one of its end. required: one of its acceptance too.
             * @enum {string}
             */
            receipt_policy?: "required" | "optional" | "disabled";
        };
        /** @description What a client sends to update session. */
        UpdateSessionRequest: {
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Another spelling of metadata.autonomy_tier, as in the request that makes a Session; null: none of its own. */
            mode_id?: ("ask" | "architect" | "code" | "shadow") | null;
            /** @description Replaces all of it; null takes it away. */
            model_policy?: components["schemas"]["SessionModelPolicy"] | null;
            /** @description What came of it, in words. */
            summary?: string | null;
        };
        /** @description What a client sends to update workspace. */
        UpdateWorkspaceRequest: {
            /** @description What it can do. */
            capabilities?: string[];
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name?: string;
            /** @description The Quota. */
            quota_id?: string | null;
        };
        /** @description The card of an agent as it serves it, and what the gateway makes of it. */
        UpstreamCard: {
            /** @description The card as the agent serves it. */
            card: components["schemas"]["JsonObject"];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it was read. */
            fetched_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "upstream_card";
            /** @description Route of the agent: `a2a:<id>`, `acp:<id>`, `mcp:<id>` or `skill:<id>`. */
            route: string;
            /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
            sha256: string;
            /** @description The signature, in base64; null where it is not signed. */
            signature: components["schemas"]["CardVerdict"];
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            state: "current" | "kept";
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The URL. */
            url: string;
        };
        /** @description Names of secrets that agents may use; values are never shown. */
        Vault: {
            /** @description What it can do. */
            capabilities: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "vault";
            /** @description Who runs the model, or offers the agent. */
            provider: string;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The Workspace. */
            workspace_id: string | null;
        };
        /** @description What a client sends to verify receipt. */
        VerifyReceiptRequest: {
            /** @description A Receipt issued later is not valid. Default: now. */
            at_time?: string | null;
            /** @description Key id: signatures by other keys do not count. Default: every key of the gateway. */
            trust_anchor?: string | null;
        };
        /** @description Where files and Sessions belong. */
        Workspace: {
            /** @description What it can do. */
            capabilities: string[];
            /** @description Its Connectors. */
            connectors: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The Branch that it begins with; null for none. */
            default_branch_id: string | null;
            /** @description Machine that its files are on; null for this one. */
            host: string | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata: components["schemas"]["JsonObject"];
            /** @description Name for people. */
            name: string;
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "workspace";
            /** @description The Quota. */
            quota_id: string | null;
            /** @description Its repository; null for none. */
            repository: string | null;
            /** @description Root of it. */
            root: string;
            /** @description The tenant. */
            tenant_id: string | null;
            /** @description When it was last changed. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description A file with its content. */
        WorkspaceFile: {
            /** @description How many bytes it has. */
            bytes: number;
            /** @description The content. */
            content?: string;
            /**
             * @description How the bytes are written as text.
             * @constant
             */
            encoding: "utf-8";
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "file";
            /** @description Path in the Workspace, relative to its root. */
            path: string;
            /** @description SHA-256 of the content, in hexadecimal; null while there is none. */
            sha256: string;
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description A file or folder. */
        WorkspaceFileEntry: {
            /**
             * @description Which kind of it this is.
             * @enum {string}
             */
            kind: "file" | "directory";
            /** @description Name for people. */
            name: string;
            /** @description Path in the Workspace, relative to its root. */
            path: string;
            /** @description How many there are, or how many bytes. */
            size: number;
        };
        /** @description The files of a folder. */
        WorkspaceFileListing: {
            /** @description The files and folders. */
            entries: components["schemas"]["WorkspaceFileEntry"][];
            /**
             * @description Which kind of resource this is.
             * @constant
             */
            object: "file_listing";
            /** @description Path in the Workspace, relative to its root. */
            path: string;
            /** @description Whether there is more than is shown. */
            truncated: boolean;
            /** @description The Workspace. */
            workspace_id: string;
        };
        /** @description What a client sends to write workspace file. */
        WriteWorkspaceFileRequest: {
            /** @description The content. */
            content: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Path in the Workspace, relative to its root. */
            path?: string;
        };
        /** @description The WebSocket frame `ack`. */
        WsAckFrame: {
            /** @description Where the subscription stands; null outside of subscriptions. */
            cursor: string | null;
            /** @description Id; made by the gateway where a client does not choose it. */
            id: string | null;
            /** @description True when a stored answer was given again (idempotency_key). */
            repeated: boolean;
            /** @description The resource that it is about. */
            resource: components["schemas"]["JsonObject"] | null;
            /** @description The status REST answers with. */
            status: number;
            /** @description Name of the subscription. */
            subscription: string | null;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "ack";
        };
        /** @description The WebSocket frame `cancel`. */
        WsCancelFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The Task. */
            task_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "cancel";
        };
        /** @description The WebSocket frame `client_attach`. */
        WsClientAttachFrame: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description How it is done.
             * @default observer
             * @enum {string}
             */
            mode?: "observer" | "controller";
            /** @description Who is asked about what. */
            permission_routing?: boolean;
            /** @description What is done about texts that try to command the agent. */
            prompt_injection?: boolean;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Whether it becomes the controller although another one is.
             * @default false
             */
            takeover?: boolean;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "client_attach";
        };
        /** @description The WebSocket frame `client_detach`. */
        WsClientDetachFrame: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "client_detach";
        };
        /** @description What a client may send on a WebSocket. */
        WsClientFrame: components["schemas"]["WsUserMessageFrame"] | components["schemas"]["WsCancelFrame"] | components["schemas"]["WsTruncateFrame"] | components["schemas"]["WsRespondFrame"] | components["schemas"]["WsClientAttachFrame"] | components["schemas"]["WsClientTakeoverFrame"] | components["schemas"]["WsClientDetachFrame"] | components["schemas"]["WsClientHeartbeatFrame"] | components["schemas"]["WsSubscribeFrame"] | components["schemas"]["WsUnsubscribeFrame"] | components["schemas"]["WsPingFrame"];
        /** @description The WebSocket frame `client_heartbeat`. */
        WsClientHeartbeatFrame: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "client_heartbeat";
        };
        /** @description The WebSocket frame `client_takeover`. */
        WsClientTakeoverFrame: {
            /** @description The live client, named by itself. */
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "client_takeover";
        };
        /** @description The WebSocket frame `end`. */
        WsEndFrame: {
            /** @description Goes on after the page that named it as `next_cursor`. */
            cursor: string;
            /**
             * @description Why, in words; null or absent where nobody said.
             * @enum {string}
             */
            reason: "complete" | "draining" | "unauthenticated" | "failed";
            /** @description When to come back; null when there is nothing more to come. */
            retry_after_ms: number | null;
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "end";
        };
        /** @description The WebSocket frame `error`. */
        WsErrorFrame: {
            /** @description What went wrong. */
            error: components["schemas"]["Error"];
            /** @description Frame that failed; null when the error is of the socket or a stream. */
            id: string | null;
            /** @description Name of the subscription. */
            subscription: string | null;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "error";
        };
        /** @description The WebSocket frame `event`. */
        WsEventFrame: {
            /** @description The kind of Event, or the Event itself. */
            event: components["schemas"]["Event"];
            /** @description True for what was recorded before the subscription began. */
            replayed: boolean;
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "event";
        };
        /** @description The WebSocket frame `heartbeat`. */
        WsHeartbeatFrame: {
            /** @description Cursor of every subscription; resume from there. */
            cursors: {
                [key: string]: string;
            };
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "heartbeat";
        };
        /** @description The WebSocket frame `ping`. */
        WsPingFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "ping";
        };
        /** @description The WebSocket frame `request`. */
        WsRequestFrame: {
            /** @description True for what was recorded before the subscription began. */
            replayed: boolean;
            /** @description What is asked. */
            request: {
                /** @description The Event. */
                event_id: string;
                /**
                 * @description Which kind of it this is.
                 * @enum {string}
                 */
                kind: "input" | "authorization" | "approval";
                /** @description The permission request; null for another question. */
                permission_request: components["schemas"]["PermissionRequest"] | null;
                /** @description Permission request to respond to; null: answer the Task. */
                request_id: string | null;
                /** @description The Session. */
                session_id: string | null;
                /** @description The Task. */
                task_id: string | null;
            };
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "request";
        };
        /** @description The WebSocket frame `respond`. */
        WsRespondFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /**
             * @description Which kind of it this is.
             * @default input
             * @enum {string}
             */
            kind?: "input" | "interrupt" | "tool_confirmation";
            /** @description What is said. */
            message: components["schemas"]["MessageInput"];
            /** @description The Task. */
            task_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "respond";
        } | {
            /** @description Glob over the action. Default: the action of this request. */
            action_pattern?: string | null;
            /** @description The answer that was asked for. */
            answer?: components["schemas"]["JsonValue"];
            /** @description Whether it was allowed. */
            approved?: boolean;
            /** @description Default: the class of this request. */
            class?: ("read" | "write" | "exec" | "net" | "llm" | "custom") | null;
            /** @description Until when it holds. Default: for good. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description Hash of the arguments that were decided on; 409 when the request is about others. */
            input_sha256?: string;
            /** @description Members of the caller, and of the gateway where the description of the resource says so. */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description What came of it.
             * @enum {string}
             */
            outcome?: "approved" | "approve" | "selected" | "denied" | "deny" | "rejected";
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string | null;
            /** @description The answer becomes a rule for what is asked later; the members below say which. */
            remember?: boolean | null;
            /** @description Id of the request; for an error, quote it in reports. */
            request_id: string;
            /** @description Actor that answers, or has answered. */
            reviewer?: string | null;
            /** @description Where it holds. Default: session. */
            scope?: ("session" | "workspace" | "user" | "always") | null;
            /** @description Glob over the target. Default: the target of this request. */
            target_pattern?: string | null;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "respond";
        };
        /** @description What the gateway sends on a WebSocket. */
        WsServerFrame: components["schemas"]["WsEventFrame"] | components["schemas"]["WsRequestFrame"] | components["schemas"]["WsAckFrame"] | components["schemas"]["WsErrorFrame"] | components["schemas"]["WsHeartbeatFrame"] | components["schemas"]["WsEndFrame"];
        /** @description The WebSocket frame `subscribe`. */
        WsSubscribeFrame: {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /**
             * @description Which stream: of a Task, of a Session, or of all Events.
             * @constant
             */
            stream: "task";
            /** @description The Task. */
            task_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "subscribe";
        } | {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which stream: of a Task, of a Session, or of all Events.
             * @constant
             */
            stream: "session";
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "subscribe";
        } | {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description The Session. */
            session_id?: string;
            /**
             * @description Which stream: of a Task, of a Session, or of all Events.
             * @constant
             */
            stream: "events";
            /** @description The Task. */
            task_id?: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "subscribe";
            /** @description The Workspace. */
            workspace_id?: string;
        };
        /** @description The WebSocket frame `truncate`. */
        WsTruncateFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description How many turns are kept. */
            keep_first: number;
            /** @description Why, in words; null or absent where nobody said. */
            reason?: string;
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "truncate";
        };
        /** @description The WebSocket frame `unsubscribe`. */
        WsUnsubscribeFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Name of the subscription. */
            subscription: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "unsubscribe";
        };
        /** @description The WebSocket frame `user_message`. */
        WsUserMessageFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /** @description What is said. */
            message: components["schemas"]["MessageInput"];
            /** @description The Session. */
            session_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "user_message";
        } | {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /**
             * @description Which kind of it this is.
             * @default input
             * @enum {string}
             */
            kind?: "input" | "interrupt" | "tool_confirmation";
            /** @description What is said. */
            message: components["schemas"]["MessageInput"];
            /** @description The Task. */
            task_id: string;
            /**
             * @description Which of the forms this is.
             * @constant
             */
            type: "user_message";
        };
    };
    responses: {
        /** @description The error envelope. */
        Error: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "resource_not_found",
                 *         "message": "No such task. Check the id.",
                 *         "type": "not_found_error",
                 *         "param": "task_id",
                 *         "request_id": "req_01KAHG6YT0B2D4F6H8K0M2P4R6",
                 *         "details": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
    };
    parameters: {
        /** @description Chosen by the client; a retry with the same key and body gets the Task that is there. The two operations that create a Task take it and are one target; everywhere else it is refused with 400. */
        IdempotencyKey: string;
        /** @description Id of the last Event received; the stream goes on after it, or ends with `cursor_expired` in one `error` event. Without it history comes first; `vendor.harn_gateway.history_removed` says that its beginning was removed. */
        LastEventId: string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of this request; quote it in reports. */
        RequestId: string;
        /** @description Seconds to wait, with 429 and 503. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getDefaultA2aCard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the signed A2A card of the default agent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["A2aAgentCard"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the public keys that verify receipts, heads of the receipt log and cards. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getProtectedResource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read whose access tokens are taken, for which audience, with which scopes (RFC 9728). */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedResource"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getProtectedResourceOfMcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the same where clients look that know the URL of /mcp alone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedResource"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getA2aCardOfA2aPath: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the signed A2A card of the default agent, for clients that look for it below its A2A URL. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["A2aAgentCard"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getA2aCardOfAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent, as `listAgents` has it. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the signed A2A card of an agent or persona; the last good one while the agent is down. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["A2aAgentCard"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getAsyncApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the AsyncAPI document: every kind of Event with its payload, the streams, and the frames of the WebSocket. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonObject"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check that the process is alive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read this document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonObject"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check that the gateway takes new work; 503 while it verifies, is fenced or drains. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not ready; details say why. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getProtocolDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Discover protocol versions and transports. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discovery"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description `made`: made here at run time; `configured`: of the configuration file, or the development key where nobody else could call. */
                source?: "made" | "configured";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the API keys made here, newest first, or those of the configuration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["ApiKey"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Make an API key and show it once; it may do no more than its maker. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End an API key at once; open streams end within seconds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Make the successor of an API key; the old one works for a while beside it. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BackupRequest"];
            };
        };
        responses: {
            /** @description Stream a backup of the whole gateway as it is now, or of what was written since an earlier one. Writes go on beside it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listHalts: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only in this state. */
                state?: "in_force" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the halts in force, newest first, or all there ever were. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Halt"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createHalt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHaltRequest"];
            };
        };
        responses: {
            /** @description Halt an agent or a tool at once: what runs there ends, what comes is refused, until the halt is released. One that is halted keeps its halt, and what runs is ended again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlacedHalt"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getHalt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the halt. */
                halt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a halt, in force or released. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Halt"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    releaseHalt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the halt. */
                halt_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReleaseHaltRequest"];
            };
        };
        responses: {
            /** @description Release a halt: new tasks run again; those that it ended stay ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Halt"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    explainPolicy: {
        parameters: {
            query: {
                /** @description Who would call. */
                actor: string;
                /** @description Its operationId, for example submitTask. */
                operation: string;
                /** @description Persona that the Task would name. */
                persona?: string;
                /** @description Id of what the call names; left out for a call that names nothing. */
                resource?: string;
                /** @description Scopes of an access token, separated by commas, for an actor that has no API key here. */
                scopes?: string;
                /** @description Session that the Task would be in. */
                session?: string;
                /** @description Id of a Skill, or the route of an agent, that a Task would use; its policy is explained too. */
                skill?: string;
                /** @description Workspaces of that token. Default: workspace_default. */
                workspaces?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Say what the policy makes of a call or of a Task that an actor would send, and by which rule. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyExplanation"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    reloadConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the configuration again and let it take effect without a restart; what needs one is named. A faulty one changes nothing. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reload"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getReplayCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the replay check that runs, else the newest since the start of the gateway. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCheck"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    startReplayCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayCheckRequest"];
            };
        };
        responses: {
            /** @description Replay a sample of the ended Tasks in the background, without leaving anything in the log, and count what came out. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCheck"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the signing keys with their windows, those that ended too. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["SigningKey"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate: a new key signs from now on; what the one before signed stays valid. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    revokeSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the signing key. */
                signing_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke: what the key signs from now on counts as forged. The key that signs is replaced. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getAgentCard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the HarnAgentCard of the default agent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HarnAgentCard"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the agents behind the gateway, with the verdict about the signature of their cards. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Agent"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getUpstreamCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent, as `listAgents` has it. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the card that an agent gave, as it gave it; its signature, if any, is over this one. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamCard"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listArtifacts: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this Task. */
                task_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Artifacts, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Artifact"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    registerArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterArtifactRequest"];
            };
        };
        responses: {
            /** @description Register an Artifact; its content may follow by upload. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Artifact. */
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the description of an Artifact. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    downloadArtifactContent: {
        parameters: {
            query?: {
                /** @description With `form=parts`: number of the first part, as `chunk_index` of an Event counts. */
                first_piece?: number;
                /** @description `parts`: a JSON list of the parts as the agent sent them, in order; 404 for an Artifact that did not come in parts. */
                form?: "content" | "parts";
                /** @description With `form=parts`: how many; all that there are without it. */
                pieces?: number;
            };
            header?: never;
            path: {
                /** @description The Artifact. */
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the bytes of an Artifact, or the parts its agent sent it in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    uploadArtifactContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Artifact. */
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": Blob;
            };
        };
        responses: {
            /** @description Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description Id of a line, or the cursor of a page, to go on behind. It counts before `since`. */
                after?: string;
                /** @description The same as `after`, which counts where both are sent. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description RFC 3339 time of the first line. Default: all. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read decisions, oldest first: of the policy, permissions, rules, keys, erasures, holds and kill switches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["AuditLine"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                    "application/x-ndjson": Blob;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Branch. */
                branch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Branch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    abandonBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Branch. */
                branch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AbandonBranchRequest"];
            };
        };
        responses: {
            /** @description Record that a Branch was given up. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    mergeBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Branch. */
                branch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MergeBranchRequest"];
            };
        };
        responses: {
            /** @description Record that a Branch was merged, into another one or into the main path. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    exportBundle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExportBundleRequest"];
            };
        };
        responses: {
            /** @description Export a Session, or one of its Tasks, as a session bundle; it is streamed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionBundle"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    importBundle: {
        parameters: {
            query?: {
                /** @description Takes a bundle although something in it looks like a secret. */
                allow_unsafe_secret_markers?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": Blob;
            };
        };
        responses: {
            /** @description Restore the Session of a bundle, in a Workspace made for it; the same bundle again changes nothing. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BundleImport"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    validateBundle: {
        parameters: {
            query?: {
                /** @description Takes a bundle although something in it looks like a secret. */
                allow_unsafe_secret_markers?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": Blob;
            };
        };
        responses: {
            /** @description Check a session bundle without writing anything; the finding names the step and the place. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BundleValidation"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getCaller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read who calls: the actor and tenant of your credential, its scopes and its workspaces. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Caller"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what this gateway can do: transports, operations and its vendor routes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilitySummary"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listConnectors: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the configured Connectors of visible Workspaces. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Connector"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getConnector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Connector. */
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Connector. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    deliverToConnector: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Connector. */
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": Blob;
            };
        };
        responses: {
            /** @description Deliver what happened at a provider, signed by it; a repeated delivery gets the first answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorDelivery"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List deliveries that were given up, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["DeadLetter"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    retryDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the dead letter. */
                dead_letter_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Post a given up delivery once more, under the same delivery id. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listErasures: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List erasures, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Erasure"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createErasure: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateErasureRequest"];
            };
        };
        responses: {
            /** @description Erase what a Session holds, or what an actor left in a Workspace, for good; proofs and a record of the erasure stay. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the erasure. */
                erasure_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the record of an erasure. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Another name of `after_event_id`. */
                after?: string;
                /** @description Event id to go on after; 410 `cursor_expired` when events after it were removed by retention. Without it the range begins with what is kept: where a beginning was removed, the first Event is `vendor.harn_gateway.history_removed`. */
                after_event_id?: string;
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this Task. */
                task_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a range of all Events visible to the caller, or of one Workspace, Session or Task. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Event"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the Event. */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an Event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this Task. */
                task_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: {
                /** @description Id of the last Event received; the stream goes on after it, or ends with `cursor_expired` in one `error` event. Without it history comes first; `vendor.harn_gateway.history_removed` says that its beginning was removed. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Follow all Events visible to the caller, live from now on unless resumed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listHolds: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List holds, newest first, released ones too. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Hold"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createHold: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHoldRequest"];
            };
        };
        responses: {
            /** @description Keep Sessions from every removal until the hold is released or expires. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the hold. */
                hold_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a hold. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    releaseHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the hold. */
                hold_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleaseHoldRequest"];
            };
        };
        responses: {
            /** @description End a hold, with a reason that stays on record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listMemories: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Memories, newest first; expired ones are absent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Memory"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createMemory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMemoryRequest"];
            };
        };
        responses: {
            /** @description Remember something for a Persona, Session, Workspace or tenant; never part of a transcript. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the Memory. */
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Memory. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    deleteMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the Memory. */
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forget a Memory; its content is erased, the Event that says so stays. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Message. */
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Message. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listOutcomes: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Task. */
                task_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Outcomes, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Outcome"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getOutcome: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Outcome; null until the Task has ended. */
                outcome_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an Outcome. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listPermissionRequests: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only those whose answer is remembered, and holds for what is asked later. */
                remembered?: "true";
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only those in this state. Follow `next_cursor`: a page may have fewer than `limit`. */
                status?: "pending" | "approved" | "denied";
                /** @description Only of this Task. */
                task_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what Tasks wait for, pending and resolved, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["PermissionRequest"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    forgetPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the permission request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forget the answer for good of a permission request: what was decided stays, later requests are asked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionRequest"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    respondPermissionRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the permission request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionResponseRequest"];
            };
        };
        responses: {
            /** @description Approve or deny a permission request; the first answer wins. A denial that cannot reach the agent cancels the Task. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionRequest"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    checkPermission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionCheckRequest"];
            };
        };
        responses: {
            /** @description Say what rules and policy would make of a request, by the engine that answers real ones. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionCheckResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getPermissionHistory: {
        parameters: {
            query?: {
                /** @description Only of this actor. */
                actor?: string;
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only with this outcome. */
                outcome?: "granted" | "denied" | "escalated";
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only of this tenant. */
                tenant_id?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List answers to permission requests and checks, whoever gave them, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getPermissionPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the permission policy of the tenant, with its version. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionPolicyResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    installPermissionPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallPermissionPolicyRequest"];
            };
        };
        responses: {
            /** @description Replace the permission policy of the tenant; it grants only what the operator lets be granted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionPolicyResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listPermissionRules: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the rules that hold, narrowest scope first, the older one before the newer one. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["RememberRule"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createPermissionRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRememberRuleRequest"];
            };
        };
        responses: {
            /** @description Make a rule that answers what is asked from now on; rules of a Workspace, of all Tasks or of somebody else take the scope admin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeRule"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    revokePermissionRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rule. */
                rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a rule: what it has answered stays, what is asked later is asked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    listPersonas: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Personas of the tenant, configured ones included. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Persona"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createPersona: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePersonaRequest"];
            };
        };
        responses: {
            /** @description Create a Persona. It routes its Tasks; its tier, tools, handoffs and policies bind them. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getPersona: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Persona. */
                persona_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Persona. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    updatePersona: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Persona. */
                persona_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePersonaRequest"];
            };
        };
        responses: {
            /** @description Update description, receipt policy, quota or metadata of a Persona; its next revision. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getProviderCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the providers and models of the configuration, and those that agents have offered since the start. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderCatalog"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listQuotas: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the configured Quotas with their usage now; those of the organization need the scope admin. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Quota"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Quota. */
                quota_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Quota with its usage now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getReceiptLogConsistency: {
        parameters: {
            query: {
                /** @description Size of the older head you hold. */
                first: number;
                /** @description Size of the newer one. Default: the newest head. */
                second?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prove that the log only grew between two of its heads. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptLogConsistency"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getReceiptLogHead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the newest signed head of the log over all receipts of this gateway. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptLogHead"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getReceiptLogInclusion: {
        parameters: {
            query: {
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
                /** @description Size of a head you hold. Default: the newest one. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prove that a Receipt is in the log. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptLogInclusion"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Receipt; the bare canonical receipt by Accept application/vnd.harn.receipt+json, as CBOR by application/vnd.harn.receipt+cbor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                    "application/vnd.harn.receipt+cbor": Blob;
                    "application/vnd.harn.receipt+json": components["schemas"]["ReceiptPayload"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    verifyReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Receipt that proves it; null where there is none. */
                receipt_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyReceiptRequest"];
            };
        };
        responses: {
            /** @description Verify a Receipt with the chain before it; the verdict names the failing step and its place. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptVerification"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Describe the gateway that answers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeMetadata"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Sessions, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Session"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSessionRequest"];
            };
        };
        responses: {
            /** @description Create a Session in a Workspace. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSessionRequest"];
            };
        };
        responses: {
            /** @description Update summary or metadata of a Session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    attachSessionClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttachSessionClientRequest"];
            };
        };
        responses: {
            /** @description Attach a client to a Session, as its controller or as an observer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSessionClientChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessionBranches: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Branches of a Session, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Branch"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createSessionBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBranchRequest"];
            };
        };
        responses: {
            /** @description Create a Branch of a Session; Tasks that name it mark what they change with it. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Close a Session; its open Tasks are canceled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    compactSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompactSessionRequest"];
            };
        };
        responses: {
            /** @description Archive all but the newest turns of the transcript under a summary; nothing is deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactSessionResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    detachSessionClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionClientRequest"];
            };
        };
        responses: {
            /** @description Detach a client from a Session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSessionClientChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessionEvents: {
        parameters: {
            query?: {
                /** @description Another name of `after_event_id`. */
                after?: string;
                /** @description Event id to go on after; 410 `cursor_expired` when events after it were removed by retention. Without it the range begins with what is kept: where a beginning was removed, the first Event is `vendor.harn_gateway.history_removed`. */
                after_event_id?: string;
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a range of the Events of a Session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Event"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    streamSessionEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last Event received; the stream goes on after it, or ends with `cursor_expired` in one `error` event. Without it history comes first; `vendor.harn_gateway.history_removed` says that its beginning was removed. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Follow a Session; history first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForkSessionRequest"];
            };
        };
        responses: {
            /** @description Fork the transcript of a Session, up to an Event, into a new Session on a Branch of its own. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    heartbeatSessionClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionClientRequest"];
            };
        };
        responses: {
            /** @description Say that a client of a Session is still there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSessionClientChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    updateSessionInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionInputsRequest"];
            };
        };
        responses: {
            /** @description List, put, remove or synchronize named variables and secrets of a Session, kept in memory only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInputsResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessionLiveClients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the clients that work in a Session now, by their ids. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSessionClientList"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessionMessages: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Messages of a Session in order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Message"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    appendSessionMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppendMessageRequest"];
            };
        };
        responses: {
            /** @description Append a Message; it precedes the next Task input. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    replaySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplaySessionRequest"];
            };
        };
        responses: {
            /** @description Replay the ended Tasks of a Session in their order; the answer lists the replay Tasks. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Task"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    takeoverSessionClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionClientRequest"];
            };
        };
        responses: {
            /** @description Make a client the controller of a Session; the one before becomes an observer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveSessionClientChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSessionTasks: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Tasks of a Session, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Task"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    submitSessionTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client; a retry with the same key and body gets the Task that is there. The two operations that create a Task take it and are one target; everywhere else it is refused with 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitTaskRequest"];
            };
        };
        responses: {
            /** @description A retry with the same Idempotency-Key: the Task that is there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Submit a Task in a Session. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getSessionTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the transcript of a Session: messages, audit events and asset descriptors. The answer is streamed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    truncateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TruncateSessionRequest"];
            };
        };
        responses: {
            /** @description Keep the first turns of a Session in place; later ones go, open Tasks are canceled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TruncateSessionResponse"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listSkills: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Skills of the agents behind the gateway, as they describe themselves. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Skill"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getSkill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the Skill. */
                skill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Skill; its id is <agent>__<skill of the agent>. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Skill"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Persona. */
                persona_id?: string;
                /** @description Whether FAILED because the agent or a policy rejected it; false: all other Tasks. */
                rejected?: "true" | "false";
                /** @description Only Tasks that run on this route. */
                route?: string;
                /** @description Only of this Session. */
                session_id?: string;
                /** @description Only Tasks of the Session that the caller knows by this key. */
                session_key?: string;
                /** @description Newest first by creation, or by the time of the status; the latter counts what fits in `total`, among the newest 100,000. */
                sort?: "created" | "status_time";
                /** @description Only in this state. */
                status?: "SUBMITTED" | "WORKING" | "INPUT_REQUIRED" | "AUTH_REQUIRED" | "COMPLETED" | "FAILED" | "CANCELED";
                /** @description Only Tasks whose status is from this time or later: their newest move, or what the agent said since. */
                status_since?: string;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Tasks, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Task"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                        /** @description How many there are in all. */
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    submitTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client; a retry with the same key and body gets the Task that is there. The two operations that create a Task take it and are one target; everywhere else it is refused with 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitTaskRequest"];
            };
        };
        responses: {
            /** @description A retry with the same Idempotency-Key: the Task that is there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Submit a Task to the Session named in the body. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Task. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelTaskRequest"];
            };
        };
        responses: {
            /** @description Cancel a Task; forwarded to the agent with a bounded wait. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTaskEvents: {
        parameters: {
            query?: {
                /** @description Another name of `after_event_id`. */
                after?: string;
                /** @description Event id to go on after; 410 `cursor_expired` when events after it were removed by retention. Without it the range begins with what is kept: where a beginning was removed, the first Event is `vendor.harn_gateway.history_removed`. */
                after_event_id?: string;
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a range of the Events of a Task. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Event"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTaskMaterials: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what was recorded of the run of a Task, in its order; a replay can override each. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["TaskMaterial"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    appendTaskMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppendTaskMessageRequest"];
            };
        };
        responses: {
            /** @description Answer a blocked Task (input) or interrupt a working one. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTaskPermissionRequests: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the permission requests of a Task, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["PermissionRequest"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listPushConfigs: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List where the events of a Task are posted; never with what proves the sender. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["PushConfig"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    setPushConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetPushConfigRequest"];
            };
        };
        responses: {
            /** @description Have the events of a Task posted to a URL: in order, at least once, retried for days. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushConfig"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getPushConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The push configuration. */
                push_config_id: string;
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a push config. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushConfig"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    deletePushConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The push configuration. */
                push_config_id: string;
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Post the events of a Task there no longer; what proves the sender is forgotten. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    listTaskReceipts: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Receipts of a Task, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Receipt"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    replayTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayTaskRequest"];
            };
        };
        responses: {
            /** @description Replay an ended Task from what was recorded of it; the answer is the replay Task. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    streamTaskEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last Event received; the stream goes on after it, or ends with `cursor_expired` in one `error` event. Without it history comes first; `vendor.harn_gateway.history_removed` says that its beginning was removed. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description The Task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Follow a Task; history first, closes after its terminal event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the control-plane tools of this gateway: its own operations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Tool"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the tool. */
                tool_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the description of a control-plane tool. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listTrustRecords: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the OpenTrustGraph records of approvals, denials and changes of autonomy tiers, newest first. Each Workspace has a chain of its own, and the Tenant one for its Personas. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["TrustRecord"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listVaults: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
                /** @description Only of this Workspace. */
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List Vaults, newest first; never what they hold. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Vault"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createVault: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateVaultRequest"];
            };
        };
        responses: {
            /** @description Register a Vault as a descriptor; secrets in it are refused, and it resolves nothing. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getVault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the vault. */
                vault_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the description of a Vault. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /** @description Goes on after the page that named it as `next_cursor`. */
                cursor?: string;
                /** @description Items of a page at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the Workspaces visible to the caller. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page. */
                        data: components["schemas"]["Workspace"][];
                        /** @description Whether there are more items after this page. */
                        has_more: boolean;
                        /** @description Give it as `cursor` to get the next page; null after the last one. */
                        next_cursor: string | null;
                        /**
                         * @description Which kind of resource this is.
                         * @constant
                         */
                        object: "list";
                        /** @description Where this page stands in the list. */
                        page: components["schemas"]["PageInfo"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Create a Workspace. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Workspace. */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a Workspace. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Workspace. */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description Update name, capabilities, quota or metadata of a Workspace. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    readWorkspaceFile: {
        parameters: {
            query?: {
                /** @description Path in the Workspace, relative to its root. */
                path?: string;
            };
            header?: never;
            path: {
                /** @description The Workspace. */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a UTF-8 file under the root of a Workspace, or list a directory. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceFile"] | components["schemas"]["WorkspaceFileListing"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    writeWorkspaceFile: {
        parameters: {
            query?: {
                /** @description Path in the Workspace, relative to its root. */
                path?: string;
            };
            header?: never;
            path: {
                /** @description The Workspace. */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteWorkspaceFileRequest"];
            };
        };
        responses: {
            /** @description Write a UTF-8 file under the root of a Workspace, with the directories it needs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceFile"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    openWebSocket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket is open. Text messages are JSON: the client sends #/components/schemas/WsClientFrame, the gateway sends #/components/schemas/WsServerFrame. Browsers offer the subprotocol of their version, harn.v1 or harn.v1.2026-10-11, and harn.bearer.<token>. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the gateway and protocol versions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeVersion"];
                };
            };
            /** @description The reader has it: `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
}
