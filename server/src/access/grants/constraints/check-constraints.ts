import { Problem } from '../../../platform/errors.ts'
import { checkConstraintSchema } from './check-schema.ts'
import { compileConstraint } from './compile.ts'

const bytesMax = 262_144
/** Schemas that passed: a policy is often the same for many grants, and compiling it is slow. */
const passed = new Set<string>()
const passedMax = 2000

/** Throws 400, naming the tool and the place, unless every schema can be a constraint. */
export function checkConstraints(constraints: Record<string, unknown>): void {
	if (JSON.stringify(constraints).length > bytesMax)
		throw refused('', `are larger than ${bytesMax} characters together`)
	for (const [tool, schema] of Object.entries(constraints)) {
		const text = JSON.stringify(schema)
		if (passed.has(text)) continue
		const why = checkConstraintSchema(schema) ?? tryCompile(schema)
		if (why === null) remember(text)
		else throw refused(`/${tool.replaceAll('~', '~0').replaceAll('/', '~1')}`, why)
	}
}

function remember(text: string): void {
	if (passed.size >= passedMax) passed.clear()
	passed.add(text)
}

function tryCompile(schema: unknown): string | null {
	try {
		compileConstraint(schema)
		return null
	} catch (error) {
		return `is no JSON Schema: ${(error as Error).message}`.slice(0, 300)
	}
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body/constraints${pointer}: ${detail}.`, {
		errors: [{ pointer: `/constraints${pointer}`, code: 'constraint', detail }],
	})
}
