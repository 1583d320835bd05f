import { runCommandLine } from './program.ts'

// A reader that has seen enough, as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code === 'EPIPE') process.exit(0)
	throw error
})
await runCommandLine(process.argv.slice(2))
