import { originSql } from './span-columns.ts'

const pair = (key: string, value: string) => `reinterpretAsFixedString(cityHash64(${key}, ${value}))`
const nameOfSpan = (key: string) => `reinterpretAsFixedString(cityHash64(${key}))`
const nameOfResource = (key: string) => `reinterpretAsFixedString(sipHash64(${key}))`

/**
 * The tokens that the attribute index stores for a span: a hash of each name with its value, and one of each name. Hashes of eight bytes are
 * used since a value may be a whole conversation. With a billion pairs stored, one lookup in ten billion finds a wrong pair. The attributes
 * of the resource are not in the index, because they are looked up in the dictionary of origins.
 */
const tokens = `arrayConcat(arrayMap((key, said) -> ${pair('key', 'said')}, mapKeys(attributes), mapValues(attributes)),
	arrayMap(own_key -> ${nameOfSpan('own_key')}, mapKeys(attributes)))`

/**
 * The column with the same tokens for a rolled-up call, including those of its resource and the attributes of its ancestors. They are
 * stored with its figures, so that spans need not be searched. A value of the resource counts only if the call itself has no attribute of
 * the name. Another hash of their names distinguishes those of the resource.
 */
export const tokensOfCall = 'attribute_tokens'
export const selectTokens = `arrayConcat(${tokens},
	arrayMap(of -> ${pair('of.1', 'of.2')}, arrayFilter(of -> NOT mapContains(attributes, of.1),
		arrayZip(${originSql.all('names')}, ${originSql.all('values')}))),
	arrayMap(key -> ${nameOfResource('key')}, ${originSql.all('names')})) AS ${tokensOfCall}`

/**
 * Replaces the index of older versions, which had the resource as well. The engine builds an index part by part in the background, and
 * continues after a restart; new parts are stored with it.
 */
export const indexOwnAttributes: readonly string[] = [
	`ALTER TABLE spans DROP INDEX IF EXISTS attribute_tokens SETTINGS alter_sync = 0`,
	`ALTER TABLE spans ADD INDEX IF NOT EXISTS own_attribute_tokens ${tokens} TYPE text(tokenizer = 'array')`,
	'ALTER TABLE spans MATERIALIZE INDEX own_attribute_tokens SETTINGS mutations_sync = 0',
]

/** SQL conditions on rows that the index answers without reading the attribute maps. */
export interface Indexed {
	/** The span has an attribute with this value, or its resource has it and the span none of this name. */
	isValue(name: string, value: string): string
	/** The span itself has an attribute with this name, whatever its value. */
	isOfSpan(name: string): string
	isThere(name: string): string
}

const hasToken = (all: string, token: string) => `has(${all}, ${token})`

/** For rows of `spans`. */
export const indexedSpans: Indexed = {
	isValue: (name, value) =>
		`(${hasToken(tokens, pair(name, value))} OR NOT ${hasToken(tokens, nameOfSpan(name))} AND ${originSql.hasValue(name, value)})`,
	isOfSpan: (name) => hasToken(tokens, nameOfSpan(name)),
	isThere: (name) => `(${hasToken(tokens, nameOfSpan(name))} OR ${originSql.has(name)})`,
}
/** For rolled-up calls. */
export const indexedCalls: Indexed = {
	isValue: (name, value) => hasToken(tokensOfCall, pair(name, value)),
	isOfSpan: (name) => hasToken(tokensOfCall, nameOfSpan(name)),
	isThere: (name) =>
		`(${hasToken(tokensOfCall, nameOfSpan(name))} OR ${hasToken(tokensOfCall, nameOfResource(name))})`,
}
