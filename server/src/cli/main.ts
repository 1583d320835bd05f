import { outcomeOf } from './outcome.ts'
import { createProgram } from './program.ts'

try {
	await createProgram().parseAsync()
} catch (error) {
	const { exitCode, message } = outcomeOf(error)
	if (message !== null) process.stderr.write(`${message}\n`)
	process.exitCode = exitCode
}
