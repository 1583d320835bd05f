import { compileConstraint, type Validator } from './compile.ts'

/** What the arguments of one tool must satisfy. */
export interface Constraint {
	/** Null when the arguments satisfy it, else a sentence that names what does not. Throws when that cannot be determined. */
	refusal(values: unknown): string | null
}

const keptMax = 5000
const compiled = new Map<string, Constraint>()

/** Grants with the same schema share one constraint; it is compiled when first asked, so that loading many grants is quick. */
export function constraintOf(schema: unknown): Constraint {
	const text = JSON.stringify(schema)
	const known = compiled.get(text)
	if (known) return known
	const made = createConstraint(schema)
	const oldest = compiled.size >= keptMax ? compiled.keys().next().value : undefined
	if (oldest !== undefined) compiled.delete(oldest)
	compiled.set(text, made)
	return made
}

function createConstraint(schema: unknown): Constraint {
	let validate: Validator | null = null
	let names: DecidingNames | null = null
	return {
		refusal: (values) => {
			validate ??= compileConstraint(schema)
			names ??= decidingNames(schema)
			const key = keyOfOtherCase(values, names)
			return key === null
				? validate(values)
				: `${JSON.stringify(key)} is written in another case than its name`
		},
	}
}

/** Names by their folded form; several when a schema means names that differ in case only. */
type DecidingNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The names of properties that a constraint decides by. A server that ignores the case of keys would read `Path` where
 * the constraint judged `path`; some fold `ſ` to `s`, as upper case does.
 */
function decidingNames(schema: unknown): DecidingNames {
	const names = new Map<string, Set<string>>()
	collect(schema, names)
	return names
}

/** The first key in a value that is a deciding name but for its case; null when there is none. */
function keyOfOtherCase(value: unknown, names: DecidingNames): string | null {
	if (typeof value !== 'object' || value === null) return null
	for (const [key, inner] of Object.entries(value)) {
		const meant = Array.isArray(value) ? undefined : names.get(fold(key))
		if (meant && !meant.has(key)) return key
		const found = keyOfOtherCase(inner, names)
		if (found !== null) return found
	}
	return null
}

function collect(schema: unknown, names: Map<string, Set<string>>): void {
	if (typeof schema !== 'object' || schema === null) return
	const { properties, required } = schema as { properties?: unknown; required?: unknown }
	const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
	for (const name of [...own, ...(Array.isArray(required) ? required : [])])
		if (typeof name === 'string') names.set(fold(name), (names.get(fold(name)) ?? new Set()).add(name))
	for (const inner of Object.values(schema)) collect(inner, names)
}

function fold(name: string): string {
	return name.toUpperCase().toLowerCase()
}
