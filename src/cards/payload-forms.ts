import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { CardVerdict } from '#resources/agent/schema.ts';
import { CARD_MEMBERS, type MemberShape, type Members, type Presence } from './a2a-members.ts';

/** What a signature over one of the forms vouches for. */
export type Coverage = NonNullable<CardVerdict['covers']>;

/** A text that signers of A2A cards sign. */
export interface PayloadForm {
  covers: Coverage;
  text: string;
}

/**
 * The texts over which an A2A card may be signed, the widest first: all of it; the members of A2A 1.0 by the rule of the
 * specification; the same without empty members, as two well-known libraries do. Implementations disagree, so a reader
 * tries all. A text that an earlier form gave is left out. Throws TypeError for what has no canonical form.
 */
export function payloadForms(card: JsonObject): PayloadForm[] {
  const { signatures: _, ...signed } = card;
  const forms: PayloadForm[] = [
    { covers: 'card', text: canonicalJson(signed) },
    { covers: 'a2a_members', text: canonicalJson(presentMembers(signed, CARD_MEMBERS, SPECIFIED)) },
    { covers: 'a2a_members', text: canonicalJson(presentMembers(signed, CARD_MEMBERS, STRIPPED)) },
  ];
  return forms.filter(({ text }, at) => forms.findIndex((other) => other.text === text) === at);
}

/** What of a card a signature of the given coverage vouches for: it never covers whether an empty member was there. */
export function coveredPart(card: JsonObject, covers: Coverage): JsonObject {
  return covers === 'card' ? card : presentMembers(card, CARD_MEMBERS, STRIPPED);
}

/** What becomes of values that are empty. */
interface EmptyRule {
  keepsMember(presence: Presence, value: JsonValue): boolean;
  keepsItems: boolean;
}

const SPECIFIED: EmptyRule = { keepsMember: (presence) => presence !== 'plain', keepsItems: true };
const STRIPPED: EmptyRule = {
  keepsMember: (presence, value) => presence !== 'plain' && value === false,
  keepsItems: false,
};

function presentMembers(value: JsonObject, members: Members, rule: EmptyRule): JsonObject {
  const kept = Object.entries(members).flatMap(([name, { presence, shape }]): [string, JsonValue][] => {
    const found = value[name];
    if (found === undefined || found === null) return [];
    const cut = cutTo(shape, found, rule);
    return isEmpty(cut) && !rule.keepsMember(presence, cut) ? [] : [[name, cut]];
  });
  return Object.fromEntries(kept);
}

/** A value of another kind than the table says is left as it is: it changes the text, and the signature fails. */
function cutTo(shape: MemberShape, value: JsonValue, rule: EmptyRule): JsonValue {
  const stays = (item: JsonValue) => rule.keepsItems || !isEmpty(item);
  if (shape.kind === 'list' && Array.isArray(value))
    return value.map((item) => cutTo(shape.of, item, rule)).filter(stays);
  if (shape.kind === 'json' && !rule.keepsItems) return withoutEmpty(value);
  if (!isObject(value)) return value;
  if (shape.kind === 'message') return presentMembers(value, shape.members, rule);
  if (shape.kind !== 'map') return value;
  const entries = Object.entries(value).map(([name, item]) => [name, cutTo(shape.of, item, rule)] as const);
  return Object.fromEntries(entries.filter(([, item]) => stays(item)));
}

/** The libraries clean values of any shape too, but for flags. */
function withoutEmpty(value: JsonValue): JsonValue {
  const stays = (item: JsonValue) => item === false || !isEmpty(item);
  if (Array.isArray(value)) return value.map(withoutEmpty).filter(stays);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withoutEmpty(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => stays(item)));
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === false;
  return value === null || Object.keys(value).length === 0;
}
