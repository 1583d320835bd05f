import { type Outcome, outcomeOf } from './outcome.ts'
import { createProgram } from './program.ts'
import { writeError } from './terminal.ts'

/** Does what was typed; a failure is told on standard error, and in `process.exitCode`. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
	try {
		await (await createProgram(words)).parseAsync([...words], { from: 'user' })
	} catch (error) {
		const outcome = outcomeOf(error)
		process.exitCode = outcome.exitCode
		const json = words.includes('--json')
		if (json && outcome.exitCode !== 0) writeError(toJson(outcome), true)
		else if (!outcome.told) writeError(await toText(outcome), false)
	}
}

function toJson({ exitCode, message, code, details }: Outcome): string {
	return `${JSON.stringify({ error: { message, code, details, exit_code: exitCode } }, null, 2)}\n`
}

/** With the next step, where the catalogue of errors knows one. */
async function toText({ message, code, details }: Outcome): Promise<string> {
	const { problems, remedyOf } = await import('@signalbox/contract/problems')
	const remedy = code !== null && code in problems ? remedyOf(code as keyof typeof problems) : null
	return [message, ...details.map((detail) => `  - ${detail}`), ...(remedy ? [`→ ${remedy}`] : []), ''].join(
		'\n',
	)
}
