import type { Validator } from './compile.ts'
import { compileConstraint } from './compile.ts'
import { type DecidingNames, decidingNames, keyOfOtherCase } from './other-case.ts'

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
