// Made by `npm run client-types` from the OpenAPI document of agents-protocol-2026-10-11.

/** The operations that take an Idempotency-Key. */
export const KEYED: ReadonlySet<string> = new Set([
  "POST /v1/sessions/{session_id}/tasks",
  "POST /v1/tasks"
]);

export interface paths {
    "/.well-known/agent-card.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the signed A2A card of the default agent. */
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
        /** Read the public keys that verify receipts, heads of the receipt log and cards. */
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
        /** Read whose access tokens are taken, for which audience, with which scopes (RFC 9728). */
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
        /** Read the same where clients look that know the URL of /mcp alone. */
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
        /** Read the signed A2A card of the default agent, for clients that look for it below its A2A URL. */
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
        /** Read the signed A2A card of an agent or persona; the last good one while the agent is down. */
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
        /** Read the AsyncAPI document: every kind of Event with its payload, the streams, and the frames of the WebSocket. */
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
        /** Check that the process is alive. */
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
        /** Read this document. */
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
        /** Check that the gateway takes new work; 503 while it verifies, is fenced or drains. */
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
        /** Discover protocol versions and transports. */
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
        /** List the API keys made here, newest first, or those of the configuration. */
        get: operations["listApiKeys"];
        put?: never;
        /** Make an API key and show it once; it may do no more than its maker. */
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
        /** End an API key at once; open streams end within seconds. */
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
        /** Make the successor of an API key; the old one works for a while beside it. */
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
        /** Stream a backup of the whole gateway as it is now, or of what was written since an earlier one. Writes go on beside it. */
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
        /** List the halts in force, newest first, or all there ever were. */
        get: operations["listHalts"];
        put?: never;
        /** Halt an agent or a tool at once: what runs there ends, what comes is refused, until the halt is released. One that is halted keeps its halt, and what runs is ended again. */
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
        /** Read a halt, in force or released. */
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
        /** Release a halt: new tasks run again; those that it ended stay ended. */
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
        /** Say what the policy makes of a call or of a Task that an actor would send, and by which rule. */
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
        /** Read the configuration again and let it take effect without a restart; what needs one is named. A faulty one changes nothing. */
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
        /** Read the replay check that runs, else the newest since the start of the gateway. */
        get: operations["getReplayCheck"];
        put?: never;
        /** Replay a sample of the ended Tasks in the background, without leaving anything in the log, and count what came out. */
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
        /** List the signing keys with their windows, those that ended too. */
        get: operations["listSigningKeys"];
        put?: never;
        /** Rotate: a new key signs from now on; what the one before signed stays valid. */
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
        /** Revoke: what the key signs from now on counts as forged. The key that signs is replaced. */
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
        /** Read the HarnAgentCard of the default agent. */
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
        /** List the agents behind the gateway, with the verdict about the signature of their cards. */
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
        /** Read the card that an agent gave, as it gave it; its signature, if any, is over this one. */
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
        /** List Artifacts, newest first. */
        get: operations["listArtifacts"];
        put?: never;
        /** Register an Artifact; its content may follow by upload. */
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
        /** Read the description of an Artifact. */
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
        /** Download the bytes of an Artifact, or the parts its agent sent it in. */
        get: operations["downloadArtifactContent"];
        /** Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one. */
        put: operations["uploadArtifactContent"];
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
        /** Read a Branch. */
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
        /** Record that a Branch was given up. */
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
        /** Record that a Branch was merged, into another one or into the main path. */
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
        /** Export a Session, or one of its Tasks, as a session bundle; it is streamed. */
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
        /** Restore the Session of a bundle, in a Workspace made for it; the same bundle again changes nothing. */
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
        /** Check a session bundle without writing anything; the finding names the step and the place. */
        post: operations["validateBundle"];
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
        /** List what this gateway can do: transports, operations and its vendor routes. */
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
        /** List the configured Connectors of visible Workspaces. */
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
        /** Read a Connector. */
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
        /** Deliver what happened at a provider, signed by it; a repeated delivery gets the first answer. */
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
        /** List deliveries that were given up, newest first. */
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
        /** Post a given up delivery once more, under the same delivery id. */
        post: operations["retryDeadLetter"];
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
        /** Read a range of all Events visible to the caller, or of one Workspace, Session or Task. */
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
        /** Read an Event. */
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
        /** Follow all Events visible to the caller, live from now on unless resumed. */
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
        /** List holds, newest first, released ones too. */
        get: operations["listHolds"];
        put?: never;
        /** Keep Sessions from every removal until the hold is released or expires. */
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
        /** Read a hold. */
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
        /** End a hold, with a reason that stays on record. */
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
        /** List Memories, newest first; expired ones are absent. */
        get: operations["listMemories"];
        put?: never;
        /** Remember something for a Persona, Session, Workspace or tenant; never part of a transcript. */
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
        /** Read a Memory. */
        get: operations["getMemory"];
        put?: never;
        post?: never;
        /** Forget a Memory; its content is erased, the Event that says so stays. */
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
        /** Read a Message. */
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
        /** List Outcomes, newest first. */
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
        /** Read an Outcome. */
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
        /** List what Tasks wait for, pending and resolved, newest first. */
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
        /** Forget the answer for good of a permission request: what was decided stays, later requests are asked. */
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
        /** Approve or deny a permission request; the first answer wins. A denial that cannot reach the agent cancels the Task. */
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
        /** Say what rules and policy would make of a request, by the engine that answers real ones. */
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
        /** List answers to permission requests and checks, whoever gave them, newest first. */
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
        /** Read the permission policy of the tenant, with its version. */
        get: operations["getPermissionPolicy"];
        /** Replace the permission policy of the tenant; it grants only what the operator lets be granted. */
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
        /** List the rules that hold, narrowest scope first, the older one before the newer one. */
        get: operations["listPermissionRules"];
        put?: never;
        /** Make a rule that answers what is asked from now on; rules of a Workspace, of all Tasks or of somebody else take the scope admin. */
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
        /** Revoke a rule: what it has answered stays, what is asked later is asked. */
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
        /** List the Personas of the tenant, configured ones included. */
        get: operations["listPersonas"];
        put?: never;
        /** Create a Persona. It routes its Tasks; its tier, tools, handoffs and policies bind them. */
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
        /** Read a Persona. */
        get: operations["getPersona"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update description, receipt policy, quota or metadata of a Persona; its next revision. */
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
        /** Read the providers and models of the configuration, and those that agents have offered since the start. */
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
        /** List the configured Quotas with their usage now; those of the organization need the scope admin. */
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
        /** Read a Quota with its usage now. */
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
        /** Prove that the log only grew between two of its heads. */
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
        /** Read the newest signed head of the log over all receipts of this gateway. */
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
        /** Prove that a Receipt is in the log. */
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
        /** Read a Receipt; the bare canonical receipt by Accept application/vnd.harn.receipt+json, as CBOR by application/vnd.harn.receipt+cbor. */
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
        /** Verify a Receipt with the chain before it; the verdict names the failing step and its place. */
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
        /** Describe the gateway that answers. */
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
        /** List Sessions, newest first. */
        get: operations["listSessions"];
        put?: never;
        /** Create a Session in a Workspace. */
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
        /** Read a Session. */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update summary or metadata of a Session. */
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
        /** Attach a client to a Session, as its controller or as an observer. */
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
        /** List the Branches of a Session, newest first. */
        get: operations["listSessionBranches"];
        put?: never;
        /** Create a Branch of a Session; Tasks that name it mark what they change with it. */
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
        /** Close a Session; its open Tasks are canceled. */
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
        /** Archive all but the newest turns of the transcript under a summary; nothing is deleted. */
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
        /** Detach a client from a Session. */
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
        /** Read a range of the Events of a Session. */
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
        /** Follow a Session; history first. */
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
        /** Fork the transcript of a Session, up to an Event, into a new Session on a Branch of its own. */
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
        /** Say that a client of a Session is still there. */
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
        /** List, put, remove or synchronize named variables and secrets of a Session, kept in memory only. */
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
        /** List the clients that work in a Session now, by their ids. */
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
        /** List the Messages of a Session in order. */
        get: operations["listSessionMessages"];
        put?: never;
        /** Append a Message; it precedes the next Task input. */
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
        /** Replay the ended Tasks of a Session in their order; the answer lists the replay Tasks. */
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
        /** Make a client the controller of a Session; the one before becomes an observer. */
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
        /** List the Tasks of a Session, newest first. */
        get: operations["listSessionTasks"];
        put?: never;
        /** Submit a Task in a Session. */
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
        /** Read the transcript of a Session: messages, audit events and asset descriptors. The answer is streamed. */
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
        /** Keep the first turns of a Session in place; later ones go, open Tasks are canceled. */
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
        /** List the Skills of the agents behind the gateway, as they describe themselves. */
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
        /** Read a Skill; its id is <agent>__<skill of the agent>. */
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
        /** List Tasks, newest first. */
        get: operations["listTasks"];
        put?: never;
        /** Submit a Task to the Session named in the body. */
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
        /** Read a Task. */
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
        /** Cancel a Task; forwarded to the agent with a bounded wait. */
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
        /** Read a range of the Events of a Task. */
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
        /** List what was recorded of the run of a Task, in its order; a replay can override each. */
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
        /** Answer a blocked Task (input) or interrupt a working one. */
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
        /** List the permission requests of a Task, newest first. */
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
        /** List where the events of a Task are posted; never with what proves the sender. */
        get: operations["listPushConfigs"];
        put?: never;
        /** Have the events of a Task posted to a URL: in order, at least once, retried for days. */
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
        /** Read a push config. */
        get: operations["getPushConfig"];
        put?: never;
        post?: never;
        /** Post the events of a Task there no longer; what proves the sender is forgotten. */
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
        /** List the Receipts of a Task, newest first. */
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
        /** Replay an ended Task from what was recorded of it; the answer is the replay Task. */
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
        /** Follow a Task; history first, closes after its terminal event. */
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
        /** List the control-plane tools of this gateway: its own operations. */
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
        /** Read the description of a control-plane tool. */
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
        /** List the OpenTrustGraph records of approvals, denials and changes of autonomy tiers, newest first. Each Workspace has a chain of its own, and the Tenant one for its Personas. */
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
        /** List Vaults, newest first; never what they hold. */
        get: operations["listVaults"];
        put?: never;
        /** Register a Vault as a descriptor; secrets in it are refused, and it resolves nothing. */
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
        /** Read the description of a Vault. */
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
        /** List the Workspaces visible to the caller. */
        get: operations["listWorkspaces"];
        put?: never;
        /** Create a Workspace. */
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
        /** Read a Workspace. */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update name, capabilities, quota or metadata of a Workspace. */
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
        /** Read a UTF-8 file under the root of a Workspace, or list a directory. */
        get: operations["readWorkspaceFile"];
        /** Write a UTF-8 file under the root of a Workspace, with the directories it needs. */
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
        /** Open a WebSocket: commands, and subscriptions to many streams. Every stream path takes an upgrade too. */
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
        /** Read the gateway and protocol versions. */
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
            name: string;
            preferredTransport: string;
            protocolVersion: string;
            security: components["schemas"]["JsonObject"][];
            securityRequirements: components["schemas"]["JsonObject"][];
            securitySchemes: components["schemas"]["JsonObject"];
            signatures?: components["schemas"]["A2aAgentCardSignature"][];
            skills: components["schemas"]["A2aAgentSkill"][];
            supportedInterfaces: components["schemas"]["A2aAgentInterface"][];
            url: string;
            version: string;
        } & {
            [key: string]: unknown;
        };
        A2aAgentCardSignature: {
            header?: components["schemas"]["JsonObject"];
            protected: string;
            signature: string;
        };
        A2aAgentInterface: {
            protocolBinding: string;
            protocolVersion: string;
            tenant?: string;
            url: string;
        };
        A2aAgentSkill: {
            description: string;
            examples?: string[];
            id: string;
            inputModes?: string[];
            name: string;
            outputModes?: string[];
            tags: string[];
        };
        AbandonBranchRequest: {
            reason?: string | null;
        };
        Agent: {
            card_fetched_at: components["schemas"]["Timestamp"] | null;
            card_signature: components["schemas"]["CardVerdict"] | null;
            /** @enum {string} */
            card_state: "current" | "kept" | "missing" | "none";
            circuit: {
                failures: number;
                /** @enum {string} */
                state: "closed" | "half_open" | "open";
                until: components["schemas"]["Timestamp"] | null;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            description: string | null;
            fallback: string | null;
            halt_id: string | null;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            name: string | null;
            /** @constant */
            object: "agent";
            route: string;
            streaming: boolean | null;
            streaming_refused: {
                because: string;
                until: components["schemas"]["Timestamp"];
            } | null;
            updated_at: components["schemas"]["Timestamp"];
            version: string | null;
        };
        ApiKey: {
            actor: string;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "api_key";
            replaced_by: string | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            scopes: string[];
            tenant_id: string;
            updated_at: components["schemas"]["Timestamp"];
            workspaces: string[];
        };
        AppendMessageRequest: {
            message: components["schemas"]["MessageInput"];
        };
        AppendTaskMessageRequest: {
            /** @enum {string} */
            kind: "input";
            message: components["schemas"]["MessageInput"];
        };
        Artifact: {
            created_at: components["schemas"]["Timestamp"];
            id: string;
            /** @enum {string} */
            kind: "file" | "patch" | "image" | "log" | "diff" | "receipt" | "snapshot" | "dataset" | "other";
            metadata: components["schemas"]["JsonObject"];
            mime_type: string;
            /** @constant */
            object: "artifact";
            receipt_id: string | null;
            session_id: string | null;
            sha256: string | null;
            task_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            /** Format: uri-reference */
            uri: string | null;
            visibility: components["schemas"]["PartVisibility"];
            workspace_id: string | null;
        };
        ArtifactRefPart: {
            artifact_id: string;
            metadata?: components["schemas"]["JsonObject"];
            /** @constant */
            type: "artifact_ref";
            visibility: components["schemas"]["PartVisibility"];
        };
        AttachSessionClientRequest: {
            client_id: string;
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @default observer
             * @enum {string}
             */
            mode?: "observer" | "controller";
            permission_routing?: boolean;
            prompt_injection?: boolean;
            /** @default false */
            takeover?: boolean;
        };
        AuditEntry: {
            decided_at: components["schemas"]["Timestamp"];
            decided_by: string | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @enum {string} */
            outcome: "granted" | "denied" | "escalated";
            policy_version: string;
            reason: string | null;
            request: components["schemas"]["PermissionCheckRequest"];
            /** @enum {string} */
            risk: "low" | "medium" | "high" | "critical";
            rule_id: string | null;
            scope: ("session" | "workspace" | "user" | "always") | null;
        };
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
                    cost: number;
                    /** @constant */
                    kdf: "scrypt";
                    salt: string;
                };
            };
            /** @description Newest commit of the backup before, of which this is the increment. Without it: a full one. */
            since?: {
                commit: number;
                hash: string;
            };
        };
        Branch: {
            base_ref: string;
            created_at: components["schemas"]["Timestamp"];
            created_by: string | null;
            id: string;
            /** @enum {string} */
            kind: "workspace" | "session" | "task" | "sandbox";
            merged_into: string | null;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "branch";
            parent_branch_id: string | null;
            session_id: string | null;
            task_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
            worktree_uri: string | null;
        };
        BundleImport: {
            bundle_id: string;
            created: boolean;
            events: number;
            /** @enum {string} */
            mode: "sanitized" | "local" | "replay_only";
            /** @constant */
            object: "bundle_import";
            session_id: string;
            tasks: {
                id: string;
                status: components["schemas"]["TaskStatus"];
            }[];
            workspace_id: string;
        };
        BundleValidation: {
            bundle_id: string | null;
            mode: ("sanitized" | "local" | "replay_only") | null;
            /** @constant */
            object: "bundle_validation";
            path: string | null;
            reason: string | null;
            signed_by: ("known_key" | "brought_key") | null;
            step: string | null;
            valid: boolean;
        };
        CancelTaskRequest: {
            reason?: string | null;
        };
        Capability: {
            description: string;
            id: string;
        };
        CapabilitySummary: {
            capabilities: components["schemas"]["Capability"][];
            /** @constant */
            object: "capability_summary";
        };
        CardSignature: {
            algorithm: string;
            key_id: string;
            value: string;
        };
        CardVerdict: {
            algorithm: string | null;
            covers: ("card" | "a2a_members") | null;
            key_id: string | null;
            keys: ("pinned" | "origin") | null;
            reason: string;
            /** @enum {string} */
            status: "verified" | "unsigned" | "malformed" | "algorithm_refused" | "embedded_key_refused" | "key_url_refused" | "keys_unavailable" | "unknown_key" | "key_not_valid" | "invalid_signature";
        };
        CompactSessionRequest: {
            /**
             * @description Newest turns that stay as they are.
             * @default 10
             */
            keep_last?: number;
            reason?: string;
            /** @description Of the turns that are archived; without it the gateway extracts one. */
            summary?: string;
        };
        CompactSessionResponse: {
            /** @description Turns archived by this call. */
            compacted_turn_count: number;
            /** @constant */
            object: "session.compact_result";
            /** @description Messages that the transcript has now. */
            retained_turn_count: number;
            session: components["schemas"]["Session"];
            session_id: string;
            summary: string | null;
            summary_source: ("caller" | "extract") | null;
        };
        Connector: {
            auth: components["schemas"]["JsonObject"];
            created_at: components["schemas"]["Timestamp"];
            dedupe_policy: components["schemas"]["JsonObject"];
            event_kinds: string[];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "connector";
            polling: components["schemas"]["JsonObject"];
            provider: string;
            /** @enum {string} */
            status: "ACTIVE" | "PAUSED" | "FAILED" | "DISABLED";
            target_persona_id: string | null;
            target_session_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            webhook: components["schemas"]["JsonObject"];
            workspace_id: string;
        };
        ConnectorDelivery: {
            connector_id: string;
            created_at: components["schemas"]["Timestamp"];
            dedupe_key: string | null;
            id: string;
            message_id: string | null;
            /** @constant */
            object: "connector_delivery";
            session_id: string;
            task_id: string | null;
            workspace_id: string;
        };
        CreateApiKeyRequest: {
            actor: string;
            expires_at?: components["schemas"]["Timestamp"] | null;
            metadata?: components["schemas"]["JsonObject"];
            name: string;
            scopes: ("workspaces:read" | "workspaces:write" | "sessions:read" | "sessions:write" | "branches:read" | "branches:write" | "messages:read" | "messages:write" | "tasks:read" | "tasks:write" | "tasks:replay" | "permissions:read" | "permissions:respond" | "events:read" | "artifacts:read" | "artifacts:write" | "outcomes:read" | "receipts:read" | "personas:read" | "personas:write" | "vaults:read" | "vaults:write" | "connectors:read" | "quotas:read" | "agents:read" | "trust_records:read" | "dead_letters:read" | "dead_letters:write" | "skills:read" | "runtime:read" | "tools:read" | "memories:read" | "memories:write" | "holds:read" | "holds:write" | "bundles:read" | "bundles:write" | "internal:read" | "admin" | "metrics:read" | "operator" | "*")[];
            workspaces: string[];
        };
        CreateBranchRequest: {
            base_ref: string;
            /** @enum {string} */
            kind: "workspace" | "session" | "task" | "sandbox";
            metadata?: components["schemas"]["JsonObject"];
            parent_branch_id?: string | null;
            task_id?: string | null;
        };
        CreateHaltRequest: {
            reason: string;
            /** @description Route of an agent or tool server, or `skill:<id>` for one tool or Skill. */
            route: string;
            /** @description One tool by the name that its agent or server has for it; left out: the agent as a whole. */
            tool?: string;
        };
        CreateHoldRequest: {
            /** @description When it ends by itself. Default: never. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            metadata?: components["schemas"]["JsonObject"];
            /** @description What refusals call it, such as a case number. */
            name: string;
            /** @description Why, for the record. */
            reason: string;
            /** @description Sessions to keep, all of one Workspace. */
            session_ids: string[];
        };
        CreateMemoryRequest: {
            content: components["schemas"]["JsonValue"];
            metadata?: components["schemas"]["JsonObject"];
            owner_id: string;
            provenance: components["schemas"]["JsonObject"];
            /** @enum {string} */
            scope: "persona" | "session" | "workspace" | "tenant";
            visibility?: components["schemas"]["PartVisibility"];
        };
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
            /** @default {} */
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @description Recorded and shown; nothing of this gateway runs or reads it.
             * @default {}
             */
            model_policy?: components["schemas"]["JsonObject"];
            /** @description Kept in the metadata; nothing is loaded. */
            module_ref?: string;
            name: string;
            /** @default null */
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
            version: string;
        };
        CreateRememberRuleRequest: {
            /** @description Glob over the name of the tool, or what is asked for in one word. */
            action_pattern: string;
            allow: boolean;
            /** @enum {string} */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            created_at?: components["schemas"]["Timestamp"];
            created_by?: string;
            expires_at?: components["schemas"]["Timestamp"] | null;
            id?: string;
            reason?: string | null;
            revoked_at?: components["schemas"]["Timestamp"] | null;
            /** @enum {string} */
            scope: "session" | "workspace" | "user" | "always";
            scope_value?: string | null;
            /** @description Glob over the path, command or host; the action where there is none. */
            target_pattern: string;
            tenant_id?: string | null;
        };
        CreateSessionRequest: {
            initial_messages?: components["schemas"]["MessageInput"][];
            memory_ids?: string[];
            metadata?: components["schemas"]["JsonObject"];
            /** @description Another spelling of metadata.autonomy_tier: shadow, architect (suggest), ask (act_with_approval), code (act_auto). Null or absent: none of its own. */
            mode_id?: ("ask" | "architect" | "code" | "shadow") | null;
            /** @description Null or absent: none. */
            model_policy?: components["schemas"]["SessionModelPolicy"] | null;
            persona_id?: string | null;
            skill_ids?: string[];
            vault_ids?: string[];
            workspace_id: string;
        };
        CreateVaultRequest: {
            capabilities: string[];
            metadata?: components["schemas"]["JsonObject"];
            provider: string;
            workspace_id?: string | null;
        };
        CreateWorkspaceRequest: {
            image?: string | null;
            metadata?: components["schemas"]["JsonObject"];
            name: string;
            network_policy?: components["schemas"]["JsonObject"];
            packages?: string[];
            root: string;
            sandbox_backend?: string | null;
        };
        DeadLetter: {
            attempts: number;
            created_at: components["schemas"]["Timestamp"];
            event_id: string;
            id: string;
            last_attempt_at: components["schemas"]["Timestamp"];
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "dead_letter";
            push_config_id: string;
            reason: string;
            /** @enum {string} */
            status: "dead" | "retrying" | "delivered";
            task_id: string;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        Discovery: {
            capabilities: {
                receipts: boolean;
                replay: boolean;
                rest: boolean;
                sse: boolean;
                websocket: boolean;
            };
            /** @enum {string} */
            current_version: "agents-protocol-2026-10-11";
            /** @constant */
            object: "protocol_discovery";
            /** @constant */
            protocol_family: "harn_agents_protocol";
            supported_versions: string[];
        };
        Error: {
            /** @enum {string} */
            code: "invalid_request" | "invalid_state_transition" | "unauthenticated" | "permission_denied" | "resource_not_found" | "conflict" | "idempotency_key_reused" | "cursor_expired" | "payload_too_large" | "policy_violation" | "resource_locked" | "unsupported_protocol_version" | "rate_limited" | "client_closed_request" | "internal_error" | "upstream_unavailable" | "service_unavailable" | "deadline_exceeded";
            details: components["schemas"]["JsonObject"];
            message: string;
            param: string | null;
            request_id: string | null;
            /** @enum {string} */
            type: "request_error" | "auth_error" | "permission_error" | "not_found_error" | "conflict_error" | "rate_limit_error" | "runtime_error" | "upstream_error" | "server_error";
        };
        ErrorResponse: {
            error: components["schemas"]["Error"];
        };
        Event: {
            actor: string | null;
            created_at: components["schemas"]["Timestamp"];
            event: string;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "event";
            payload: components["schemas"]["JsonObject"];
            previous_event_id: string | null;
            receipt_id?: string | null;
            replay?: components["schemas"]["ReplayEventMetadata"];
            replayed?: boolean;
            resource: components["schemas"]["ResourcePointer"];
            sequence: number;
            session_id: string | null;
            span_id: string | null;
            task_id: string | null;
            trace_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string | null;
        };
        ExportBundleRequest: {
            /** @default false */
            include_attachments?: boolean;
            /**
             * @default sanitized
             * @enum {string}
             */
            mode?: "sanitized" | "local" | "replay_only";
            session_id?: string;
            task_id?: string;
        };
        Failure: {
            code: string;
            details?: components["schemas"]["JsonObject"];
            message: string;
            type?: string;
        };
        FileRefPart: {
            metadata?: components["schemas"]["JsonObject"];
            mime_type: string;
            /** @constant */
            type: "file_ref";
            uri: string;
            visibility: components["schemas"]["PartVisibility"];
        };
        ForkSessionRequest: {
            at_event_id?: string | null;
            branch_id?: string | null;
            metadata?: components["schemas"]["JsonObject"];
        };
        Halt: {
            created_at: components["schemas"]["Timestamp"];
            created_by: string;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "halt";
            /** @description Why, in words; every task that it ends or refuses says so. */
            reason: string;
            release_reason: string | null;
            released_at: components["schemas"]["Timestamp"] | null;
            released_by: string | null;
            /** @description Route of the agent or tool server, for example `a2a:shop`. */
            route: string;
            /** @description The one tool or Skill that is halted, as its agent names it; null: all of it. */
            tool: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        HarnAgentCard: {
            a2a_agent_card: components["schemas"]["A2aAgentCard"];
            a2a_card: components["schemas"]["A2aAgentCard"];
            auth_schemes: string[];
            capabilities: string[];
            created_at: components["schemas"]["Timestamp"];
            description: string;
            harn_interfaces: components["schemas"]["HarnAgentInterface"][];
            id: string;
            interfaces: components["schemas"]["HarnAgentInterface"][];
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @enum {string} */
            object: "harn_agent_card";
            persona_ids: string[];
            protocol_version: string;
            provider: components["schemas"]["JsonObject"];
            public_url: string | null;
            receipt_policy: string | null;
            signature: components["schemas"]["CardSignature"] | null;
            skills: components["schemas"]["Skill"][];
            updated_at: components["schemas"]["Timestamp"];
        };
        HarnAgentInterface: {
            /** @enum {string} */
            transport: "rest" | "sse" | "websocket" | "a2a" | "mcp" | "acp";
            url: string;
        };
        Health: {
            ok: boolean;
            status: string;
            version: string;
        };
        Hold: {
            created_at: components["schemas"]["Timestamp"];
            /** @description Actor who set it. */
            created_by: string;
            /** @description When it ends by itself; null: never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "hold";
            reason: string;
            release_reason: string | null;
            /** @description Null while it holds. */
            released_at: components["schemas"]["Timestamp"] | null;
            /** @description Actor who released it; null where it expired. */
            released_by: string | null;
            session_ids: string[];
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        ImageRefPart: {
            artifact_id: string;
            metadata?: components["schemas"]["JsonObject"];
            mime_type: string;
            /** @constant */
            type: "image_ref";
            visibility: components["schemas"]["PartVisibility"];
        };
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
            /** @default {} */
            llm?: {
                /** @description What the runs of one Session may cost, by what their agents report. Enforced. */
                cost_ceiling_usd_cents?: number | null;
                /** @default [] */
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
                /** @default [] */
                logs?: string[];
                /** @default [] */
                transcript?: string[];
            };
            /**
             * @description Globs over what may be written.
             * @default []
             */
            write?: string[];
        };
        IssuedApiKey: {
            actor: string;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            /** @description The key itself, shown this once. */
            key?: string;
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "api_key";
            replaced_by: string | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            scopes: string[];
            tenant_id: string;
            updated_at: components["schemas"]["Timestamp"];
            workspaces: string[];
        };
        JsonObject: {
            [key: string]: unknown;
        };
        JsonPart: {
            metadata?: components["schemas"]["JsonObject"];
            /** @constant */
            type: "json";
            value: components["schemas"]["JsonValue"];
            visibility: components["schemas"]["PartVisibility"];
        };
        /** @description Any JSON value. */
        JsonValue: unknown;
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
                [key: string]: unknown;
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
                [key: string]: unknown;
            })[];
        };
        LiveSessionClient: {
            attached_at: components["schemas"]["Timestamp"];
            client_id: string;
            last_seen_at: components["schemas"]["Timestamp"];
            metadata: components["schemas"]["JsonObject"];
            /** @enum {string} */
            mode: "observer" | "controller";
            permission_routing: boolean;
            prompt_injection: boolean;
        };
        LiveSessionClientChange: {
            active_controller_id: string | null;
            client: components["schemas"]["LiveSessionClient"] | null;
            clients: components["schemas"]["LiveSessionClient"][];
            previous_controller_id: string | null;
        };
        LiveSessionClientList: {
            data: components["schemas"]["LiveSessionClient"][];
            /** @constant */
            object: "list";
        };
        Memory: {
            content: string | components["schemas"]["ArtifactRefPart"] | components["schemas"]["JsonObject"];
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "memory";
            owner_id: string;
            provenance: components["schemas"]["JsonObject"];
            /** @enum {string} */
            scope: "persona" | "session" | "workspace" | "tenant";
            updated_at: components["schemas"]["Timestamp"];
            visibility: components["schemas"]["PartVisibility"];
            workspace_id: string | null;
        };
        MergeBranchRequest: {
            into?: string | null;
            metadata?: components["schemas"]["JsonObject"];
        };
        Message: {
            created_at: components["schemas"]["Timestamp"];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "message";
            parts: components["schemas"]["Part"][];
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool" | "agent";
            session_id: string | null;
            task_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        MessageInput: {
            metadata?: components["schemas"]["JsonObject"];
            parts: components["schemas"]["Part"][];
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool" | "agent";
        };
        Outcome: {
            artifacts: components["schemas"]["Artifact"][];
            cost: components["schemas"]["JsonObject"];
            created_at: components["schemas"]["Timestamp"];
            failure: components["schemas"]["Failure"] | null;
            handoffs: components["schemas"]["JsonObject"][];
            id: string;
            messages: components["schemas"]["Message"][];
            metadata: components["schemas"]["JsonObject"];
            metrics: components["schemas"]["JsonObject"];
            /** @constant */
            object: "outcome";
            receipt_id: string | null;
            session_id: string;
            /** @enum {string} */
            status: "SUCCEEDED" | "FAILED" | "CANCELED";
            summary: string;
            task_id: string;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        PageInfo: {
            has_more: boolean;
            next_cursor: string | null;
        };
        Part: components["schemas"]["TextPart"] | components["schemas"]["JsonPart"] | components["schemas"]["ToolCallPart"] | components["schemas"]["ToolResultPart"] | components["schemas"]["ArtifactRefPart"] | components["schemas"]["FileRefPart"] | components["schemas"]["ImageRefPart"];
        /** @enum {string} */
        PartVisibility: "public" | "internal" | "receipt_only";
        PermissionCheckRequest: {
            action: string;
            actor: string;
            /** @enum {string} */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            context?: components["schemas"]["JsonObject"];
            id?: string | null;
            reason?: string | null;
            requested_at?: components["schemas"]["Timestamp"];
            risk?: ("low" | "medium" | "high" | "critical") | null;
            session_id: string;
            target: string;
            tenant_id?: string | null;
            workspace_id?: string | null;
        };
        PermissionCheckResponse: {
            decision: {
                expires_at: components["schemas"]["Timestamp"] | null;
                /** @constant */
                outcome: "granted";
                policy_version: string;
                reason: string | null;
                rule_id: string | null;
                /** @enum {string} */
                scope: "session" | "workspace" | "user" | "always";
            } | {
                /** @constant */
                outcome: "denied";
                policy_version: string;
                reason: string | null;
                rule_id: string | null;
                /** @enum {string} */
                scope: "session" | "workspace" | "user" | "always";
            } | {
                escalate_to: string[];
                /** @constant */
                outcome: "suspend";
                policy_version: string;
                reason: string | null;
            };
            /** @constant */
            object: "permission_decision";
            request_id: string;
        };
        PermissionOption: {
            /** @enum {string} */
            kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
            name: string;
            option_id: string;
        };
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
            /** @default {} */
            llm?: {
                /** @description What the runs of one Session may cost, by what their agents report. Enforced. */
                cost_ceiling_usd_cents?: number | null;
                /** @default [] */
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
                /** @default [] */
                logs?: string[];
                /** @default [] */
                transcript?: string[];
            };
            /**
             * @description Globs over what may be written.
             * @default []
             */
            write?: string[];
        };
        PermissionPolicyResponse: {
            /** @description Members that are kept and have no effect. Vendor member. */
            not_enforced: string[];
            /** @constant */
            object: "permission_policy";
            policy: components["schemas"]["PermissionPolicy"];
            /** @description Hash over the content. */
            version: string;
        };
        PermissionQuestion: {
            answered_by?: {
                policy_version: string;
                rule_id: string | null;
            };
            approvals?: {
                approved_by: string[];
                four_eyes: boolean;
                quorum: number;
            };
            expires_at?: components["schemas"]["Timestamp"];
            /** @enum {string} */
            kind: "authorization" | "elicitation" | "tool";
            message: string;
            message_id?: string;
            options: components["schemas"]["PermissionOption"][];
            remembered_from?: string;
            requested_schema?: components["schemas"]["JsonValue"];
            tool_call?: components["schemas"]["PermissionToolCall"];
            url?: string;
        };
        PermissionRequest: {
            action: components["schemas"]["JsonValue"];
            created_at: components["schemas"]["Timestamp"];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "permission_request";
            request: components["schemas"]["PermissionQuestion"];
            response: components["schemas"]["PermissionResponse"] | null;
            session_id: string | null;
            /** @enum {string} */
            source: "acp" | "hitl";
            /** @enum {string} */
            status: "pending" | "approved" | "denied";
            task_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        PermissionResponse: {
            answer: components["schemas"]["JsonValue"] | null;
            approved: boolean;
            message_id: string | null;
            metadata: components["schemas"]["JsonObject"];
            option_id: string | null;
            policy_version?: string;
            reason: string | null;
            /** @enum {string} */
            remembered?: "session" | "workspace" | "user" | "always";
            remembered_as?: string;
            responded_at: components["schemas"]["Timestamp"];
            reviewer: string | null;
            rule_id?: string | null;
        };
        PermissionResponseRequest: {
            /** @description Glob over the action. Default: the action of this request. */
            action_pattern?: string | null;
            answer?: components["schemas"]["JsonValue"];
            approved?: boolean;
            /** @description Default: the class of this request. */
            class?: ("read" | "write" | "exec" | "net" | "llm" | "custom") | null;
            /** @description Until when it holds. Default: for good. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Hash of the arguments that were decided on; 409 when the request is about others. */
            input_sha256?: string;
            metadata?: components["schemas"]["JsonObject"];
            /** @enum {string} */
            outcome?: "approved" | "approve" | "selected" | "denied" | "deny" | "rejected";
            reason?: string | null;
            /** @description The answer becomes a rule for what is asked later; the members below say which. */
            remember?: boolean | null;
            reviewer?: string | null;
            /** @description Where it holds. Default: session. */
            scope?: ("session" | "workspace" | "user" | "always") | null;
            /** @description Glob over the target. Default: the target of this request. */
            target_pattern?: string | null;
        };
        PermissionToolCall: {
            input?: components["schemas"]["JsonValue"];
            input_sha256?: string;
            name: string;
            tool_call_id: string;
        };
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
            created_at: components["schemas"]["Timestamp"];
            description: string;
            /** @description Route of its Tasks when it is one, for example a2a:shop; any other text is kept and chooses none. */
            entry_workflow: string;
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            evals: string[];
            /** @description Routes of the agents its Tasks may be given to besides its own workflow, for example a2a:shop or a2a:*. Empty: all of them. */
            handoffs: string[];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @description Recorded and shown; nothing of this gateway runs or reads it. */
            model_policy: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "persona";
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
            updated_at: components["schemas"]["Timestamp"];
            version: string;
        };
        PlacedHalt: {
            created_at: components["schemas"]["Timestamp"];
            created_by: string;
            /** @description Tasks that it ended, running ones and those that waited. */
            ended_tasks: number;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "halt";
            /** @description Why, in words; every task that it ends or refuses says so. */
            reason: string;
            release_reason: string | null;
            released_at: components["schemas"]["Timestamp"] | null;
            released_by: string | null;
            /** @description Route of the agent or tool server, for example `a2a:shop`. */
            route: string;
            /** @description The one tool or Skill that is halted, as its agent names it; null: all of it. */
            tool: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        PolicyExplanation: {
            actor: string;
            checks: {
                check: string;
                /** @enum {string} */
                result: "passed" | "decided" | "not_asked";
            }[];
            credential: string | null;
            decision: {
                because: string;
                /** @enum {string} */
                effect: "allow" | "ask" | "withhold" | "refuse";
                rule: string;
            };
            /** @constant */
            object: "policy_explanation";
            operation: string;
            remembers: ("never" | "session" | "workspace" | "user" | "always") | null;
            resource: string | null;
            side_effect: ("read" | "read_external" | "write_idempotent" | "write" | "destructive" | "delegate") | null;
            skill: string | null;
            tier: ("shadow" | "suggest" | "act_with_approval" | "act_auto") | null;
        };
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
        PushConfig: {
            authentication_scheme: string | null;
            client_id: string | null;
            created_at: components["schemas"]["Timestamp"];
            form: string;
            has_token: boolean;
            id: string;
            is_signed: boolean;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "push_config";
            task_id: string;
            updated_at: components["schemas"]["Timestamp"];
            url: string;
        };
        Quota: {
            created_at: components["schemas"]["Timestamp"];
            exhaustion_reason: string | null;
            hard_limit: boolean;
            id: string;
            last_receipt_id: string | null;
            limits: {
                [key: string]: number;
            };
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "quota";
            owner_id: string | null;
            reset_at: components["schemas"]["Timestamp"] | null;
            /** @enum {string} */
            scope: "persona" | "workspace" | "tenant" | "organization";
            soft_limit: boolean;
            updated_at: components["schemas"]["Timestamp"];
            usage: {
                [key: string]: number;
            };
        };
        Readiness: {
            details: components["schemas"]["JsonObject"];
            ok: boolean;
            reason: string | null;
            status: string;
        };
        Receipt: {
            created_at: components["schemas"]["Timestamp"];
            /** @constant */
            format: "receipt-2026-04-25";
            id: string;
            issued_at: components["schemas"]["Timestamp"];
            issuer: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "receipt";
            session_id: string;
            subject: components["schemas"]["ResourcePointer"];
            summary: string;
            task_id: string;
            updated_at: components["schemas"]["Timestamp"];
            verification: components["schemas"]["ReceiptVerification"] | null;
            wire: components["schemas"]["ReceiptWireEnvelope"];
            workspace_id: string;
        };
        ReceiptLogConsistency: {
            first: {
                root: string;
                size: number;
            };
            head: components["schemas"]["ReceiptLogHead"];
            /** @constant */
            object: "receipt_log_consistency";
            proof: string[];
            second: {
                root: string;
                size: number;
            };
        };
        ReceiptLogHead: {
            /** @constant */
            algorithm: "ed25519";
            key_id: string;
            log_id: string;
            /** @constant */
            object: "receipt_log_head";
            root: string;
            signature: string;
            size: number;
            timestamp: components["schemas"]["Timestamp"];
        };
        ReceiptLogInclusion: {
            head: components["schemas"]["ReceiptLogHead"];
            index: number;
            leaf_hash: string;
            /** @constant */
            object: "receipt_log_inclusion";
            proof: string[];
            receipt_hash: string;
            receipt_id: string;
            root: string;
            size: number;
        };
        /** Harn Agents Protocol Receipt */
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
        ReceiptVerification: {
            checked_at: components["schemas"]["Timestamp"];
            details: components["schemas"]["JsonObject"];
            reason: string | null;
            valid: boolean;
        };
        ReceiptWireEnvelope: {
            issued_at: components["schemas"]["Timestamp"];
            payload: components["schemas"]["ReceiptPayload"];
            /** @constant */
            schema_version: "receipt-2026-04-25";
            signature: {
                algorithm: string;
                key_id: string;
                value: string;
            } | null;
            subject: components["schemas"]["ResourcePointer"];
        };
        RegisterArtifactRequest: {
            /** @enum {string} */
            kind: "file" | "patch" | "image" | "log" | "diff" | "receipt" | "snapshot" | "dataset" | "other";
            metadata?: components["schemas"]["JsonObject"];
            mime_type: string;
            session_id?: string | null;
            sha256?: string | null;
            task_id?: string | null;
            uri?: string | null;
            visibility: components["schemas"]["PartVisibility"];
            workspace_id?: string | null;
        };
        ReleaseHaltRequest: {
            /** @description Why it may run again. */
            reason?: string;
        };
        ReleaseHoldRequest: {
            /** @description Why, for the record. */
            reason: string;
        };
        Reload: {
            /** @description Changed options that are in effect. */
            applied: string[];
            /** @description Changed options that take effect at the next start. */
            needs_restart: string[];
            /** @constant */
            object: "reload";
            /** Format: date-time */
            reloaded_at: string;
            /** @description Tasks that run on a replaced or removed agent end there. */
            routes: {
                added: string[];
                removed: string[];
                replaced: string[];
            };
        };
        RememberRule: {
            action_pattern: string;
            /** @description Whose Tasks it answers for: those of whoever made it, null: of everybody. Vendor member. */
            actor: string | null;
            allow: boolean;
            /** @enum {string} */
            class: "read" | "write" | "exec" | "net" | "llm" | "custom";
            created_at: components["schemas"]["Timestamp"];
            created_by: string;
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            reason: string | null;
            /** @description The permission request whose answer it is. One that was answered by an option "always" is about exactly the same question. Vendor member. */
            request_id: string | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            /** @enum {string} */
            scope: "session" | "workspace" | "user" | "always";
            /** @description Session, workspace or actor it holds for; null: everybody. */
            scope_value: string | null;
            target_pattern: string;
            tenant_id: string | null;
        };
        ReplayCheck: {
            ended_at: string | null;
            /** @description The first 1000, in the order of the ids. */
            findings: {
                /** @enum {string} */
                outcome: "diverged" | "tampered" | "failed";
                task_id: string;
                /** @description The first difference; null where the gateway failed. */
                verdict: ({
                    record_hash: string;
                    /** @constant */
                    status: "byte_equal";
                } | {
                    event_id: string | null;
                    expected: string | null;
                    index: number;
                    observed: string | null;
                    path: string;
                    redacted_material?: string;
                    /** @constant */
                    status: "diverged";
                } | {
                    expected: string;
                    index: number;
                    observed: string;
                    /** @constant */
                    status: "tamper_detected";
                    through?: string;
                    where: string;
                }) | null;
            }[];
            id: string;
            /** @constant */
            object: "replay_check";
            sample: number;
            seed: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            started_at: string;
            /**
             * @description FAILED: it ended before its last Task.
             * @enum {string}
             */
            status: "RUNNING" | "COMPLETED" | "FAILED";
            tasks: {
                byte_equal: number;
                diverged: number;
                /** @description The gateway itself failed; its log says why. */
                failed: number;
                /** @description Not all that a replay needs is there, for example after retention. */
                incomplete: number;
                /** @description Replayed so far. */
                sampled: number;
                tampered: number;
            };
        };
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
        ReplayEventMetadata: {
            mode: components["schemas"]["ReplayMode"];
            original_event_id: string | null;
            override_key: string | null;
            receipt_delta_id: string | null;
            replay_cursor: string | null;
            replay_task_id: string;
            source_task_id: string;
        };
        /** @enum {string} */
        ReplayMode: "exact" | "with_overrides" | "from_checkpoint";
        ReplayOverride: {
            artifact_id?: string | null;
            event_id?: string | null;
            /** @enum {string} */
            kind: "llm_provider_response" | "mcp_tool_return" | "secret_value" | "time" | "host_fact" | "tool_result" | "event_payload" | "checkpoint_value";
            reason?: string | null;
            sha256?: string | null;
            target?: string | null;
            value?: components["schemas"]["JsonValue"];
            /**
             * @default receipt_only
             * @enum {string}
             */
            visibility?: "public" | "internal" | "receipt_only";
        };
        ReplaySessionRequest: {
            checkpoint_event_id?: string | null;
            checkpoint_id?: string | null;
            metadata?: components["schemas"]["JsonObject"];
            /** @default exact */
            mode?: components["schemas"]["ReplayMode"];
            /** @default {} */
            override?: {
                [key: string]: components["schemas"]["ReplayOverride"];
            };
            reason?: string | null;
            /** @description Replays only the Tasks of this W3C trace. */
            trace_id?: string | null;
        };
        ReplayTaskRequest: {
            checkpoint_event_id?: string | null;
            checkpoint_id?: string | null;
            metadata?: components["schemas"]["JsonObject"];
            /** @default exact */
            mode?: components["schemas"]["ReplayMode"];
            /** @default {} */
            override?: {
                [key: string]: components["schemas"]["ReplayOverride"];
            };
            reason?: string | null;
        };
        ResourcePointer: {
            id: string;
            object: string;
        };
        RotateApiKeyRequest: {
            /**
             * @description How long the old key still works beside the new one.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        RuntimeMetadata: {
            adapter: string;
            capabilities: components["schemas"]["Capability"][];
            /** @constant */
            object: "runtime";
            protocol_version: string;
            session_count: number;
            task_count: number;
            version: string;
        };
        RuntimeVersion: {
            /** @constant */
            object: "version";
            protocol_version: string;
            version: string;
        };
        Session: {
            branch_id: string | null;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"] | null;
            id: string;
            last_event_id: string | null;
            live_clients?: components["schemas"]["LiveSessionClient"][];
            live_controller_id?: string | null;
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description How far its next Task may go by itself; in an Event what held then.
             * @enum {string}
             */
            mode_id?: "ask" | "architect" | "code" | "shadow";
            /** @description Absent where there is none. */
            model_policy?: components["schemas"]["SessionModelPolicy"];
            /** @constant */
            object: "session";
            parent_session_id: string | null;
            persona_id: string | null;
            root_session_id: string | null;
            /** @enum {string} */
            state: "ACTIVE" | "IDLE" | "PAUSED" | "CLOSED" | "FAILED";
            summary: string | null;
            transcript: components["schemas"]["JsonObject"];
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        SessionBundle: {
            /** @constant */
            _type: "harn_session_bundle";
            attachments: {
                [key: string]: unknown;
            }[];
            bundle_id: string;
            created_at: string;
            metadata?: components["schemas"]["JsonObject"];
            permissions: {
                [key: string]: unknown;
            }[];
            producer: {
                name: string;
                schema_id: string;
                version: string;
            } & {
                [key: string]: unknown;
            };
            redaction: {
                entries: {
                    [key: string]: unknown;
                }[];
                /** @enum {string} */
                mode: "sanitized" | "local" | "replay_only";
                placeholder: string;
                policy: string;
                unsafe_secret_markers_rejected: boolean;
            } & {
                [key: string]: unknown;
            };
            replay: {
                checkpoints: {
                    [key: string]: unknown;
                }[];
                deterministic_events: ({
                    index: number;
                    source: string;
                    value: components["schemas"]["JsonValue"];
                } & {
                    [key: string]: unknown;
                })[];
                event_log_pointers: {
                    [key: string]: unknown;
                }[];
                observability?: {
                    [key: string]: unknown;
                } | null;
                replay_fixture?: {
                    [key: string]: unknown;
                } | null;
                run_record?: {
                    [key: string]: unknown;
                } | null;
                trace_spans: {
                    [key: string]: unknown;
                }[];
                transitions: {
                    [key: string]: unknown;
                }[];
                verification_outcomes?: {
                    [key: string]: unknown;
                }[];
                worker_snapshots?: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
            runtime: {
                harn_version: string;
                metadata?: {
                    [key: string]: unknown;
                };
                provider_models: string[];
                usage?: {
                    [key: string]: unknown;
                } | null;
            } & {
                [key: string]: unknown;
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
                [key: string]: unknown;
            };
            tools: {
                calls: {
                    [key: string]: unknown;
                }[];
                schemas: ({
                    index: number;
                    source: string;
                    value: components["schemas"]["JsonValue"];
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
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
                        [key: string]: unknown;
                    };
                    scope: string;
                    summary?: string | null;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            };
            workspace?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        SessionClientRequest: {
            client_id: string;
            metadata?: components["schemas"]["JsonObject"];
            reason?: string | null;
        };
        SessionInputsRequest: {
            /** @constant */
            kind: "list";
        } | {
            /** @constant */
            kind: "put";
            /** @default false */
            replace?: boolean;
            spec: {
                /**
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /** @constant */
                    kind: "session";
                } | {
                    /** @constant */
                    kind: "saved";
                } | {
                    /** @constant */
                    kind: "until";
                    unix_ms: number;
                };
                name: string;
                /**
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /** @constant */
                    kind: "session_tools";
                } | {
                    /** @constant */
                    kind: "websites";
                    origins: string[];
                };
            };
            value: string;
        } | {
            /** @constant */
            kind: "remove";
            name: string;
        } | {
            /** @constant */
            kind: "sync";
            snapshot: {
                /** @default [] */
                inputs?: {
                    spec: {
                        /**
                         * @default secret
                         * @enum {string}
                         */
                        kind?: "secret" | "variable";
                        /**
                         * @default {
                         *       "kind": "session"
                         *     }
                         */
                        lifetime?: {
                            /** @constant */
                            kind: "session";
                        } | {
                            /** @constant */
                            kind: "saved";
                        } | {
                            /** @constant */
                            kind: "until";
                            unix_ms: number;
                        };
                        name: string;
                        /**
                         * @default {
                         *       "kind": "session_tools"
                         *     }
                         */
                        usage?: {
                            /** @constant */
                            kind: "session_tools";
                        } | {
                            /** @constant */
                            kind: "websites";
                            origins: string[];
                        };
                    };
                    value: string;
                }[];
                /** @default [] */
                redactions?: string[];
                revision: number;
                sourceId: string;
            };
        };
        SessionInputsResponse: {
            applied?: boolean;
            delivery: {
                /** @constant */
                kept: "memory";
                message: string;
                taken_by: {
                    name: string;
                    routes: string[];
                }[];
                told: string[];
            };
            input?: {
                /**
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /** @constant */
                    kind: "session";
                } | {
                    /** @constant */
                    kind: "saved";
                } | {
                    /** @constant */
                    kind: "until";
                    unix_ms: number;
                };
                name: string;
                /**
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /** @constant */
                    kind: "session_tools";
                } | {
                    /** @constant */
                    kind: "websites";
                    origins: string[];
                };
                value?: string;
            };
            inputs?: {
                /**
                 * @default secret
                 * @enum {string}
                 */
                kind?: "secret" | "variable";
                /**
                 * @default {
                 *       "kind": "session"
                 *     }
                 */
                lifetime?: {
                    /** @constant */
                    kind: "session";
                } | {
                    /** @constant */
                    kind: "saved";
                } | {
                    /** @constant */
                    kind: "until";
                    unix_ms: number;
                };
                name: string;
                /**
                 * @default {
                 *       "kind": "session_tools"
                 *     }
                 */
                usage?: {
                    /** @constant */
                    kind: "session_tools";
                } | {
                    /** @constant */
                    kind: "websites";
                    origins: string[];
                };
                value?: string;
            }[];
            removed?: boolean;
        };
        SessionModelPolicy: {
            model: string;
            provider: string;
            /** @enum {string} */
            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
        };
        SetPushConfigRequest: {
            /** @description Sent as "Authorization: <scheme> <credentials>". Bearer without credentials: a JWT (EdDSA, keys at /.well-known/jwks.json) with iss, aud (origin of the URL), sub (id of the Task), iat, exp, jti and request_body_sha256. */
            authentication?: {
                credentials?: string;
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
        SigningKey: {
            /** @constant */
            algorithm: "Ed25519";
            created_at: components["schemas"]["Timestamp"];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            not_after: components["schemas"]["Timestamp"] | null;
            not_before: components["schemas"]["Timestamp"];
            /** @constant */
            object: "signing_key";
            public_key: string;
            revoked_at: components["schemas"]["Timestamp"] | null;
            /** @enum {string} */
            status: "current" | "retired" | "revoked";
            updated_at: components["schemas"]["Timestamp"];
        };
        Skill: {
            capabilities: string[];
            created_at: components["schemas"]["Timestamp"];
            deprecated: boolean;
            description: string;
            id: string;
            input_schema: components["schemas"]["JsonObject"] | null;
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "skill";
            output_schema: components["schemas"]["JsonObject"] | null;
            requires_approval: boolean;
            source: string | null;
            updated_at: components["schemas"]["Timestamp"];
            version: string | null;
        };
        SubmitTaskRequest: {
            branch_id?: string | null;
            input: components["schemas"]["MessageInput"] | components["schemas"]["JsonObject"];
            metadata?: components["schemas"]["JsonObject"];
            parent_task_id?: string | null;
            persona_id?: string | null;
            session?: components["schemas"]["TaskSession"];
            session_id?: string;
            workspace_id?: string;
        };
        Task: {
            assigned_agent_id: string | null;
            branch_id: string | null;
            canceled_at: components["schemas"]["Timestamp"] | null;
            completed_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            created_by: string;
            failure: components["schemas"]["Failure"] | null;
            id: string;
            input: components["schemas"]["Message"] | components["schemas"]["JsonObject"];
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "task";
            outcome_id: string | null;
            parent_task_id: string | null;
            persona_id: string | null;
            quota_id: string | null;
            receipt_id: string | null;
            session_id: string;
            started_at: components["schemas"]["Timestamp"] | null;
            status: components["schemas"]["TaskStatus"];
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string;
        };
        TaskMaterial: {
            /** @description Override key, for POST /v1/tasks/{task_id}/replay. */
            id: string;
            /** @enum {string} */
            kind: "llm_provider_response" | "mcp_tool_return" | "host_fact";
            /** @description Place in the run, from 1 on. */
            n: number;
            /** @constant */
            object: "task_material";
            /** @description Commitment to the frame as it came, where secrets were replaced before it was recorded. */
            proof_hash?: string;
            /** @description Of the RFC 8785 bytes of the frame. */
            sha256: string;
        };
        TaskSession: {
            key?: string;
            metadata?: components["schemas"]["JsonObject"];
            parallel?: boolean;
            workspace_id: string;
        };
        /** @enum {string} */
        TaskStatus: "SUBMITTED" | "WORKING" | "INPUT_REQUIRED" | "AUTH_REQUIRED" | "COMPLETED" | "FAILED" | "CANCELED";
        TextPart: {
            metadata?: components["schemas"]["JsonObject"];
            text: string;
            /** @constant */
            type: "text";
            visibility: components["schemas"]["PartVisibility"];
        };
        /** Format: date-time */
        Timestamp: string;
        Tool: {
            description: string;
            id: string;
            input_schema: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "tool";
            output_schema: components["schemas"]["JsonObject"];
        };
        ToolCallPart: {
            input: components["schemas"]["JsonObject"];
            metadata?: components["schemas"]["JsonObject"];
            name: string;
            tool_call_id: string;
            /** @constant */
            type: "tool_call";
            visibility: components["schemas"]["PartVisibility"];
        };
        ToolResultPart: {
            metadata?: components["schemas"]["JsonObject"];
            output: components["schemas"]["JsonValue"];
            /** @enum {string} */
            status: "ok" | "error";
            tool_call_id: string;
            /** @constant */
            type: "tool_result";
            visibility: components["schemas"]["PartVisibility"];
        };
        Transcript: {
            /** @constant */
            _type: "transcript";
            assets: components["schemas"]["TranscriptAsset"][];
            events: components["schemas"]["TranscriptEvent"][];
            id: string;
            messages: components["schemas"]["TranscriptMessage"][];
            metadata: components["schemas"]["JsonObject"];
            /** @enum {string} */
            state: "active" | "closed" | "failed";
            /** @description What compaction says of the archived turns. */
            summary: string | null;
            /** @constant */
            version: 2;
        };
        TranscriptAsset: {
            /** @constant */
            _type: "transcript_asset";
            created_at: components["schemas"]["Timestamp"];
            id: string;
            kind: string;
            metadata?: components["schemas"]["JsonObject"];
            mime_type: string;
            name: string | null;
            storage: {
                path: string | null;
                sha256: string | null;
                size: number | null;
                uri: string | null;
            };
            task_id: string | null;
            visibility: components["schemas"]["PartVisibility"];
        };
        TranscriptBlock: {
            type: string;
            visibility: components["schemas"]["PartVisibility"];
        } & {
            [key: string]: unknown;
        };
        TranscriptEvent: {
            created_at: components["schemas"]["Timestamp"] | null;
            event: string | null;
            event_id: string | null;
            kind: string;
            visibility: components["schemas"]["PartVisibility"];
        } & {
            [key: string]: unknown;
        };
        TranscriptMessage: {
            content: components["schemas"]["TranscriptBlock"][];
            created_at: components["schemas"]["Timestamp"];
            id: string;
            metadata?: components["schemas"]["JsonObject"];
            position: number;
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool" | "agent";
            task_id: string | null;
        };
        TruncateSessionRequest: {
            keep_first: number;
            reason?: string;
        };
        TruncateSessionResponse: {
            kept_turn_count: number;
            new_tip_turn_id: string | null;
            /** @constant */
            object: "session.truncate_result";
            removed_turn_count: number;
            session: components["schemas"]["Session"];
            session_id: string;
        };
        TrustRecord: {
            action: string;
            agent: string;
            approver?: string | null;
            /** @enum {string} */
            autonomy_tier: "shadow" | "suggest" | "act_with_approval" | "act_auto";
            chain_index: number;
            cost_usd?: number | null;
            entry_hash: string;
            metadata: components["schemas"]["JsonObject"];
            /** @enum {string} */
            outcome: "success" | "failure" | "denied" | "timeout";
            previous_hash: string | null;
            record_id: string;
            /** @enum {string} */
            schema: "opentrustgraph/v0" | "opentrustgraph/v0.1";
            /** Format: date-time */
            timestamp: string;
            trace_id: string;
        };
        UpdatePersonaRequest: {
            description?: string;
            metadata?: components["schemas"]["JsonObject"];
            /** @description Quota that the Tasks of this Persona count against. */
            quota_id?: string | null;
            /**
             * @description disabled: its Tasks have no Receipts. optional: each has one of its end. required: one of its acceptance too.
             * @enum {string}
             */
            receipt_policy?: "required" | "optional" | "disabled";
        };
        UpdateSessionRequest: {
            metadata?: components["schemas"]["JsonObject"];
            /** @description Replaces all of it; null takes it away. */
            model_policy?: components["schemas"]["SessionModelPolicy"] | null;
            summary?: string | null;
        };
        UpdateWorkspaceRequest: {
            capabilities?: string[];
            metadata?: components["schemas"]["JsonObject"];
            name?: string;
            quota_id?: string | null;
        };
        UpstreamCard: {
            card: components["schemas"]["JsonObject"];
            created_at: components["schemas"]["Timestamp"];
            fetched_at: components["schemas"]["Timestamp"];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "upstream_card";
            route: string;
            sha256: string;
            signature: components["schemas"]["CardVerdict"];
            /** @enum {string} */
            state: "current" | "kept";
            updated_at: components["schemas"]["Timestamp"];
            url: string;
        };
        Vault: {
            capabilities: string[];
            created_at: components["schemas"]["Timestamp"];
            id: string;
            metadata: components["schemas"]["JsonObject"];
            /** @constant */
            object: "vault";
            provider: string;
            updated_at: components["schemas"]["Timestamp"];
            workspace_id: string | null;
        };
        VerifyReceiptRequest: {
            /** @description A Receipt issued later is not valid. Default: now. */
            at_time?: string | null;
            /** @description Key id: signatures by other keys do not count. Default: every key of the gateway. */
            trust_anchor?: string | null;
        };
        Workspace: {
            capabilities: string[];
            connectors: string[];
            created_at: components["schemas"]["Timestamp"];
            default_branch_id: string | null;
            host: string | null;
            id: string;
            metadata: components["schemas"]["JsonObject"];
            name: string;
            /** @constant */
            object: "workspace";
            quota_id: string | null;
            repository: string | null;
            root: string;
            tenant_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        WorkspaceFile: {
            bytes: number;
            content?: string;
            /** @constant */
            encoding: "utf-8";
            /** @constant */
            object: "file";
            path: string;
            sha256: string;
            workspace_id: string;
        };
        WorkspaceFileEntry: {
            /** @enum {string} */
            kind: "file" | "directory";
            name: string;
            path: string;
            size: number;
        };
        WorkspaceFileListing: {
            entries: components["schemas"]["WorkspaceFileEntry"][];
            /** @constant */
            object: "file_listing";
            path: string;
            truncated: boolean;
            workspace_id: string;
        };
        WriteWorkspaceFileRequest: {
            content: string;
            metadata?: components["schemas"]["JsonObject"];
            path?: string;
        };
        WsAckFrame: {
            /** @description Where the subscription stands; null outside of subscriptions. */
            cursor: string | null;
            id: string | null;
            /** @description True when a stored answer was given again (idempotency_key). */
            repeated: boolean;
            resource: components["schemas"]["JsonObject"] | null;
            /** @description The status REST answers with. */
            status: number;
            subscription: string | null;
            /** @constant */
            type: "ack";
        };
        WsCancelFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            reason?: string | null;
            task_id: string;
            /** @constant */
            type: "cancel";
        };
        WsClientAttachFrame: {
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            metadata?: components["schemas"]["JsonObject"];
            /**
             * @default observer
             * @enum {string}
             */
            mode?: "observer" | "controller";
            permission_routing?: boolean;
            prompt_injection?: boolean;
            session_id: string;
            /** @default false */
            takeover?: boolean;
            /** @constant */
            type: "client_attach";
        };
        WsClientDetachFrame: {
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            metadata?: components["schemas"]["JsonObject"];
            reason?: string | null;
            session_id: string;
            /** @constant */
            type: "client_detach";
        };
        WsClientFrame: components["schemas"]["WsUserMessageFrame"] | components["schemas"]["WsCancelFrame"] | components["schemas"]["WsTruncateFrame"] | components["schemas"]["WsRespondFrame"] | components["schemas"]["WsClientAttachFrame"] | components["schemas"]["WsClientTakeoverFrame"] | components["schemas"]["WsClientDetachFrame"] | components["schemas"]["WsClientHeartbeatFrame"] | components["schemas"]["WsSubscribeFrame"] | components["schemas"]["WsUnsubscribeFrame"] | components["schemas"]["WsPingFrame"];
        WsClientHeartbeatFrame: {
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            metadata?: components["schemas"]["JsonObject"];
            reason?: string | null;
            session_id: string;
            /** @constant */
            type: "client_heartbeat";
        };
        WsClientTakeoverFrame: {
            client_id: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            metadata?: components["schemas"]["JsonObject"];
            reason?: string | null;
            session_id: string;
            /** @constant */
            type: "client_takeover";
        };
        WsEndFrame: {
            cursor: string;
            /** @enum {string} */
            reason: "complete" | "draining" | "unauthenticated" | "failed";
            /** @description When to come back; null when there is nothing more to come. */
            retry_after_ms: number | null;
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /** @constant */
            type: "end";
        };
        WsErrorFrame: {
            error: components["schemas"]["Error"];
            /** @description Frame that failed; null when the error is of the socket or a stream. */
            id: string | null;
            subscription: string | null;
            /** @constant */
            type: "error";
        };
        WsEventFrame: {
            event: components["schemas"]["Event"];
            /** @description True for what was recorded before the subscription began. */
            replayed: boolean;
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /** @constant */
            type: "event";
        };
        WsHeartbeatFrame: {
            /** @description Cursor of every subscription; resume from there. */
            cursors: {
                [key: string]: string;
            };
            /** @constant */
            type: "heartbeat";
        };
        WsPingFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @constant */
            type: "ping";
        };
        WsRequestFrame: {
            /** @description True for what was recorded before the subscription began. */
            replayed: boolean;
            request: {
                event_id: string;
                /** @enum {string} */
                kind: "input" | "authorization" | "approval";
                permission_request: components["schemas"]["PermissionRequest"] | null;
                /** @description Permission request to respond to; null: answer the Task. */
                request_id: string | null;
                session_id: string | null;
                task_id: string | null;
            };
            /** @description Name of the subscription: `task:<id>`, `session:<id>` or `events`. */
            subscription: string;
            /** @constant */
            type: "request";
        };
        WsRespondFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /**
             * @default input
             * @enum {string}
             */
            kind?: "input" | "interrupt" | "tool_confirmation";
            message: components["schemas"]["MessageInput"];
            task_id: string;
            /** @constant */
            type: "respond";
        } | {
            /** @description Glob over the action. Default: the action of this request. */
            action_pattern?: string | null;
            answer?: components["schemas"]["JsonValue"];
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
            metadata?: components["schemas"]["JsonObject"];
            /** @enum {string} */
            outcome?: "approved" | "approve" | "selected" | "denied" | "deny" | "rejected";
            reason?: string | null;
            /** @description The answer becomes a rule for what is asked later; the members below say which. */
            remember?: boolean | null;
            request_id: string;
            reviewer?: string | null;
            /** @description Where it holds. Default: session. */
            scope?: ("session" | "workspace" | "user" | "always") | null;
            /** @description Glob over the target. Default: the target of this request. */
            target_pattern?: string | null;
            /** @constant */
            type: "respond";
        };
        WsServerFrame: components["schemas"]["WsEventFrame"] | components["schemas"]["WsRequestFrame"] | components["schemas"]["WsAckFrame"] | components["schemas"]["WsErrorFrame"] | components["schemas"]["WsHeartbeatFrame"] | components["schemas"]["WsEndFrame"];
        WsSubscribeFrame: {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @constant */
            stream: "task";
            task_id: string;
            /** @constant */
            type: "subscribe";
        } | {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            session_id: string;
            /** @constant */
            stream: "session";
            /** @constant */
            type: "subscribe";
        } | {
            /** @description Event id to go on after; the events missed come with `replayed`. */
            cursor?: string;
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            session_id?: string;
            /** @constant */
            stream: "events";
            task_id?: string;
            /** @constant */
            type: "subscribe";
            workspace_id?: string;
        };
        WsTruncateFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            keep_first: number;
            reason?: string;
            session_id: string;
            /** @constant */
            type: "truncate";
        };
        WsUnsubscribeFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            subscription: string;
            /** @constant */
            type: "unsubscribe";
        };
        WsUserMessageFrame: {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            message: components["schemas"]["MessageInput"];
            session_id: string;
            /** @constant */
            type: "user_message";
        } | {
            /** @description Chosen by the client; its ack or error carries it. */
            id?: string;
            /** @description Shared with REST: the same key, target and body give the same answer there. */
            idempotency_key?: string;
            /**
             * @default input
             * @enum {string}
             */
            kind?: "input" | "interrupt" | "tool_confirmation";
            message: components["schemas"]["MessageInput"];
            task_id: string;
            /** @constant */
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
            default: components["responses"]["Error"];
        };
    };
    getA2aCardOfAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
            default: components["responses"]["Error"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["ApiKey"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    listHalts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["Halt"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            query?: {
                actor?: string;
                operation?: string;
                persona?: string;
                resource?: string;
                scopes?: string;
                session?: string;
                skill?: string;
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: {
                cursor?: string;
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
                        data: components["schemas"]["SigningKey"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            default: components["responses"]["Error"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                cursor?: string;
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
                        data: components["schemas"]["Agent"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
                session_id?: string;
                task_id?: string;
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
                        data: components["schemas"]["Artifact"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                first_piece?: number;
                form?: "content" | "parts";
                pieces?: number;
            };
            header?: never;
            path: {
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
    getBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["Connector"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["DeadLetter"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
    listEvents: {
        parameters: {
            query?: {
                after?: string;
                after_event_id?: string;
                cursor?: string;
                limit?: number;
                session_id?: string;
                task_id?: string;
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
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                session_id?: string;
                task_id?: string;
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
                cursor?: string;
                limit?: number;
                session_id?: string;
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
                        data: components["schemas"]["Hold"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                cursor?: string;
                limit?: number;
                session_id?: string;
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
                        data: components["schemas"]["Memory"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["Outcome"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
                remembered?: "true";
                session_id?: string;
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
                        data: components["schemas"]["PermissionRequest"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            409: components["responses"]["Error"];
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
                actor?: string;
                limit?: number;
                outcome?: "granted" | "denied" | "escalated";
                session_id?: string;
                tenant_id?: string;
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
                        data: components["schemas"]["AuditEntry"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
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
                        data: components["schemas"]["RememberRule"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                    "application/json": components["schemas"]["RememberRule"];
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
                cursor?: string;
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
                        data: components["schemas"]["Persona"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
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
                        data: components["schemas"]["Quota"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            query?: {
                first?: number;
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
            query?: {
                receipt_id?: string;
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["Session"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Branch"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                after?: string;
                after_event_id?: string;
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Message"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                        data: components["schemas"]["Task"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Task"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getSessionTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                cursor?: string;
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
                        data: components["schemas"]["Skill"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
                persona_id?: string;
                rejected?: "true" | "false";
                route?: string;
                session_id?: string;
                session_key?: string;
                sort?: "created" | "status_time";
                status?: "SUBMITTED" | "WORKING" | "INPUT_REQUIRED" | "AUTH_REQUIRED" | "COMPLETED" | "FAILED" | "CANCELED";
                status_since?: string;
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
                        data: components["schemas"]["Task"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
                        page: components["schemas"]["PageInfo"];
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    listTaskEvents: {
        parameters: {
            query?: {
                after?: string;
                after_event_id?: string;
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["TaskMaterial"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["PermissionRequest"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["PushConfig"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                push_config_id: string;
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
                push_config_id: string;
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
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
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
                        data: components["schemas"]["Receipt"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
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
                        data: components["schemas"]["Tool"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["TrustRecord"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
                limit?: number;
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
                        data: components["schemas"]["Vault"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                cursor?: string;
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
                        data: components["schemas"]["Workspace"][];
                        has_more: boolean;
                        next_cursor: string | null;
                        /** @constant */
                        object: "list";
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
                path?: string;
            };
            header?: never;
            path: {
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
                path?: string;
            };
            header?: never;
            path: {
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
            default: components["responses"]["Error"];
        };
    };
}
