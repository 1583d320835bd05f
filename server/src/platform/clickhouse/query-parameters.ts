/** Values for `{name:Type}` placeholders: anything the ClickHouse client can write down. */
export type QueryParameters = Record<string, unknown>

/**
 * Refuses text that UTF-8 cannot carry (lone surrogates): on the way it would silently become another text.
 * Throws TypeError naming the parameter. Callers with foreign text use `String.prototype.toWellFormed()` first.
 */
export function checkParameters(parameters: QueryParameters): void {
	for (const [name, value] of Object.entries(parameters)) {
		if (!isWellFormed(value)) throw new TypeError(`The query parameter "${name}" holds a lone surrogate.`)
	}
}

function isWellFormed(value: unknown): boolean {
	if (typeof value === 'string') return value.isWellFormed()
	if (value instanceof Date || typeof value !== 'object' || value === null) return true
	if (value instanceof Map) return [...value.entries()].every((entry) => entry.every(isWellFormed))
	return Object.entries(value).every((entry) => entry.every(isWellFormed))
}
