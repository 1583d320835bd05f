/**
 * What the index of attributes holds of a span: a hash of each name with its value, whether of the span or its resource, and one of each
 * name, which says where it was. Hashes, since a value may be a whole conversation; each takes eight bytes. Two pairs have the same hash
 * once in ten billion of pairs that are asked for, with a billion of them stored.
 */
const tokens = `arrayConcat(
	arrayMap((key, said) -> reinterpretAsFixedString(cityHash64(key, said)), arrayConcat(mapKeys(attributes), mapKeys(resource)), arrayConcat(mapValues(attributes), mapValues(resource))),
	arrayMap(own_key -> reinterpretAsFixedString(cityHash64(own_key)), mapKeys(attributes)),
	arrayMap(resource_key -> reinterpretAsFixedString(sipHash64(resource_key)), mapKeys(resource)))`

const attributeIndex = 'attribute_tokens'

/** The same of a call that is rolled up, with the attributes of its ancestors: stored beside its figures, so that spans need not be looked for. */
export const tokensOfCall = 'attribute_tokens'
export const selectTokens = `${tokens} AS ${tokensOfCall}`

/** The engine makes it part by part in the background, and goes on after a restart; parts that come from now on are stored with it. */
export const indexAttributes: readonly string[] = [
	`ALTER TABLE spans ADD INDEX IF NOT EXISTS ${attributeIndex} ${tokens} TYPE text(tokenizer = 'array')`,
	`ALTER TABLE spans MATERIALIZE INDEX ${attributeIndex} SETTINGS mutations_sync = 0`,
]

/** Conditions on rows, of texts in SQL, which the index answers: the maps are not read. */
export interface Indexed {
	/** An attribute of the span or of its resource is this. */
	isValue(name: string, value: string): string
	/** The span itself has such an attribute, whatever its value. */
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

/** Of rows of `spans`. */
export const indexedSpans = indexedBy(tokens)
/** Of calls that are rolled up. */
export const indexedCalls = indexedBy(tokensOfCall)
