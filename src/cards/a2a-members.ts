/**
 * How the protocol buffer of A2A 1.0 treats a member that holds its default value ("", false, [] or {}): a `required` and an
 * `explicit` one is kept, a `plain` one is as good as absent. Spec: A2A 1.0, 8.4.1.
 */
export type Presence = 'required' | 'explicit' | 'plain';

/** `json` is any JSON value; `map` has names that the writer chose; a list is one of `of`. */
export type MemberShape =
  | { kind: 'text' | 'flag' | 'json' }
  | { kind: 'list' | 'map'; of: MemberShape }
  | { kind: 'message'; members: Members };

export interface Member {
  presence: Presence;
  shape: MemberShape;
}
export type Members = Readonly<Record<string, Member>>;

const TEXT: MemberShape = { kind: 'text' };
const FLAG: MemberShape = { kind: 'flag' };
const list = (of: MemberShape): MemberShape => ({ kind: 'list', of });
const map = (of: MemberShape): MemberShape => ({ kind: 'map', of });
const message = (members: Members): MemberShape => ({ kind: 'message', members });
const required = (shape: MemberShape = TEXT): Member => ({ presence: 'required', shape });
const explicit = (shape: MemberShape = TEXT): Member => ({ presence: 'explicit', shape });
const plain = (shape: MemberShape = TEXT): Member => ({ presence: 'plain', shape });

const SECURITY_REQUIREMENTS = list(message({ schemes: plain(map(message({ list: plain(list(TEXT)) }))) }));

const FLOW = { refreshUrl: plain(), scopes: required(map(TEXT)) };
const OLD_FLOW = { refreshUrl: plain(), scopes: plain(map(TEXT)) };

const OAUTH_FLOWS = message({
  authorizationCode: explicit(
    message({ authorizationUrl: required(), tokenUrl: required(), pkceRequired: plain(FLAG), ...FLOW }),
  ),
  clientCredentials: explicit(message({ tokenUrl: required(), ...FLOW })),
  deviceCode: explicit(message({ deviceAuthorizationUrl: required(), tokenUrl: required(), ...FLOW })),
  implicit: explicit(message({ authorizationUrl: plain(), ...OLD_FLOW })),
  password: explicit(message({ tokenUrl: plain(), ...OLD_FLOW })),
});

const SECURITY_SCHEME = message({
  apiKeySecurityScheme: explicit(message({ description: plain(), location: required(), name: required() })),
  httpAuthSecurityScheme: explicit(
    message({ description: plain(), scheme: required(), bearerFormat: plain() }),
  ),
  oauth2SecurityScheme: explicit(
    message({ description: plain(), flows: required(OAUTH_FLOWS), oauth2MetadataUrl: plain() }),
  ),
  openIdConnectSecurityScheme: explicit(message({ description: plain(), openIdConnectUrl: required() })),
  mtlsSecurityScheme: explicit(message({ description: plain() })),
});

const CAPABILITIES = message({
  streaming: explicit(FLAG),
  pushNotifications: explicit(FLAG),
  extendedAgentCard: explicit(FLAG),
  extensions: plain(
    list(
      message({
        uri: plain(),
        description: plain(),
        required: plain(FLAG),
        params: explicit({ kind: 'json' }),
      }),
    ),
  ),
});

const SKILL = message({
  id: required(),
  name: required(),
  description: required(),
  tags: required(list(TEXT)),
  examples: plain(list(TEXT)),
  inputModes: plain(list(TEXT)),
  outputModes: plain(list(TEXT)),
  securityRequirements: plain(SECURITY_REQUIREMENTS),
});

/** The members of an A2A 1.0 AgentCard, without `signatures`. Spec: A2A 1.0, AgentCard. */
export const CARD_MEMBERS: Members = {
  name: required(),
  description: required(),
  supportedInterfaces: required(
    list(
      message({ url: required(), protocolBinding: required(), tenant: plain(), protocolVersion: required() }),
    ),
  ),
  provider: explicit(message({ url: required(), organization: required() })),
  version: required(),
  documentationUrl: explicit(),
  capabilities: required(CAPABILITIES),
  securitySchemes: plain(map(SECURITY_SCHEME)),
  securityRequirements: plain(SECURITY_REQUIREMENTS),
  defaultInputModes: required(list(TEXT)),
  defaultOutputModes: required(list(TEXT)),
  skills: required(list(SKILL)),
  iconUrl: explicit(),
};
