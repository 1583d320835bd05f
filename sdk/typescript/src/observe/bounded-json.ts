const deepest = 32

/** JSON of a value, truncated once it is long enough; the rest is not even read. */
export function boundedJson(value: unknown, maxLength: number): string {
	const text = new BoundedText(maxLength)
	write(value, text, 0)
	return text.toString()
}

class BoundedText {
	#text = ''
	readonly #maxLength: number

	constructor(maxLength: number) {
		this.#maxLength = maxLength
	}

	/** Characters that still fit. */
	get left(): number {
		return this.#maxLength - this.#text.length
	}

	add(part: string): void {
		this.#text += part.length > this.left ? part.slice(0, Math.max(0, this.left)) : part
	}

	toString(): string {
		return this.#text
	}
}

function write(value: unknown, text: BoundedText, depth: number): void {
	if (text.left <= 0) return
	if (typeof value !== 'object' || value === null) text.add(plainJson(value, text.left))
	else if (depth >= deepest) text.add('"…"')
	else if ('toJSON' in value && typeof value.toJSON === 'function') write(value.toJSON(), text, depth + 1)
	else if (Array.isArray(value)) writeItems(value, text, depth)
	else writeFields(value, text, depth)
}

function plainJson(value: unknown, maxLength: number): string {
	if (typeof value === 'bigint') return `${value}`
	return JSON.stringify(typeof value === 'string' ? value.slice(0, maxLength) : value) ?? 'null'
}

function writeItems(items: readonly unknown[], text: BoundedText, depth: number): void {
	text.add('[')
	for (let i = 0; i < items.length && text.left > 0; i++) {
		if (i > 0) text.add(',')
		write(items[i], text, depth + 1)
	}
	text.add(']')
}

function writeFields(fields: object, text: BoundedText, depth: number): void {
	text.add('{')
	let first = true
	for (const name of Object.keys(fields)) {
		if (text.left <= 0) break
		const value = (fields as Record<string, unknown>)[name]
		if (/^(?:undefined|function|symbol)$/.test(typeof value)) continue
		text.add(`${first ? '' : ','}${JSON.stringify(name.slice(0, text.left))}:`)
		first = false
		write(value, text, depth + 1)
	}
	text.add('}')
}
