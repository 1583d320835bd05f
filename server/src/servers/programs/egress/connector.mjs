// Runs inside the sandbox: listens on its loopback, passes connections to our proxy's socket, and is the program's parent.
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'

const [, , socket, file, ...args] = process.argv
const relay = createServer({ allowHalfOpen: true }, (inner) => {
	const outer = connect({ path: socket, allowHalfOpen: true })
	const end = () => {
		inner.destroy()
		outer.destroy()
	}
	inner.on('error', end).pipe(outer).on('error', end).pipe(inner)
})
relay.listen(3128, '127.0.0.1', () => {
	const program = spawn(file, args, { stdio: 'inherit' })
	program.once('error', (error) => {
		process.stderr.write(`The program could not be started: ${error.message}\n`)
		process.exit(127)
	})
	program.once('exit', (code) => process.exit(code ?? 1))
})
