/**
 * The tokens that the attribute index stores for a span: a hash of each name with its value, for the span's and the resource's
 * attributes alike, and one of each name, which distinguishes the two. Hashes of eight bytes are used since a value may be a whole
 * conversation. With a billion pairs stored, one lookup in ten billion finds a wrong pair.
 */
const tokens = `arrayConcat(
	arrayMap((key, said) -> reinterpretAsFixedString(cityHash64(key, said)), arrayConcat(mapKeys(attributes), mapKeys(resource)), arrayConcat(mapValues(attributes), mapValues(resource))),
	arrayMap(own_key -> reinterpretAsFixedString(cityHash64(own_key)), mapKeys(attributes)),
	arrayMap(resource_key -> reinterpretAsFixedString(sipHash64(resource_key)), mapKeys(resource)))`

const attributeIndex = 'attribute_tokens'

/**
 * The column with the same tokens for a rolled-up call, including the attributes of its ancestors. They are stored with its figures,
 * so that spans need not be searched.
 */
export const tokensOfCall = 'attribute_tokens'
export const selectTokens = `${tokens} AS ${tokensOfCall}`

/** The engine builds it part by part in the background, and continues after a restart; new parts are stored with it. */
export const indexAttributes: readonly string[] = [
	`ALTER TABLE spans ADD INDEX IF NOT EXISTS ${attributeIndex} ${tokens} TYPE text(tokenizer = 'array')`,
	`ALTER TABLE spans MATERIALIZE INDEX ${attributeIndex} SETTINGS mutations_sync = 0`,
]

/** SQL conditions on rows that the index answers without reading the attribute maps. */
export interface Indexed {
	/** The span or its resource has an attribute with this value. */
	isValue(name: string, value: string): string
	/** The span itself has an attribute with this name, whatever its value. */
	isOfSpan(name: string): string
	isThere(name: string): string
}

function indexedBy(all: string): Indexed {
	const has = (hash: string) => `has(${all}, reinterpretAsFixedString(${hash}))`
	const isOfSpan = (name: string) => has(`cityHash64(${name})`)
	return {
		isValue: (name, value) => has(`cityHash64(${name}, ${value})`),
		isOfSpan,
		isThere: (name) => `(${isOfSpan(name)} OR ${has(`sipHash64(${name})`)})`,
	}
}

/** For rows of `spans`. */
export const indexedSpans = indexedBy(tokens)
/** For rolled-up calls. */
export const indexedCalls = indexedBy(tokensOfCall)
