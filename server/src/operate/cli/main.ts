import { runCommandLine } from './program.ts'
import { writeError } from './terminal.ts'

// A reader such as `head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code === 'EPIPE') process.exit(0)
	writeError(`The output cannot be written: ${error.message}\n`, false)
	process.exit(1)
})
// The exit code tells of a failure, too.
process.stderr.on('error', () => undefined)
await runCommandLine(process.argv.slice(2))
