// A legacy MCP server over pipes for tests, whose tools misbehave on demand. Plain JavaScript: it runs in the sandbox too.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
const names = [
	'echo',
	'late',
	'die',
	'garbage',
	'long',
	'child',
	'env',
	'ask',
	'progress',
	'hang',
	'run',
	'hog',
	'mute',
]
let calls = 0

const tools = {
	echo: ({ value }) => text(value),
	late: async ({ value, ms }) => {
		await new Promise((done) => setTimeout(done, ms))
		return text(value)
	},
	die: () => process.kill(process.pid, 'SIGKILL'),
	garbage: ({ value }) => {
		process.stdout.write('this is no message\n{"jsonrpc":"1.0"}\n[1]\n')
		return text(value)
	},
	long: ({ bytes }) => {
		process.stdout.write('x'.repeat(bytes))
		return new Promise(() => {})
	},
	// Outlives its parent unless somebody ends it; ignores the end of its input.
	child: ({ mark = '' }) => {
		const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', mark], { stdio: 'ignore' })
		return text(child.pid)
	},
	// biome-ignore lint/style/noProcessEnv: what it got is what the test asks for.
	env: () => text(JSON.stringify(process.env)),
	ask: (_values, id) => {
		say({
			id: 'q1',
			method: 'elicitation/create',
			params: {
				message: `for ${id}`,
				requestedSchema: { type: 'object', properties: { by: { type: 'string' } } },
			},
		})
		return new Promise((done) => answers.set('q1', (answer) => done(text(JSON.stringify(answer)))))
	},
	progress: (_values, _id, token) => {
		say({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } })
		say({ method: 'notifications/message', params: { level: 'info', data: 'a secret of this call' } })
		return text('done')
	},
	hang: () => new Promise(() => {}),
	mute: () => {
		process.stdin.pause()
		return new Promise(() => {})
	},
	// Runs JavaScript of the test with everything that this program may do.
	run: async ({ code }) =>
		text(
			JSON.stringify(
				await new (async () => {}).constructor('require', code)(
					process.getBuiltinModule('module').createRequire('/'),
				),
			) ?? 'undefined',
		),
	hog: ({ bytes }) => {
		const held = []
		for (let taken = 0; taken < bytes; taken += 2 ** 20) held.push(Buffer.alloc(2 ** 20, 1))
		return new Promise((done) => setTimeout(() => done(text(held.length)), 5000))
	},
}
const answers = new Map()

const methods = {
	initialize: async ({ protocolVersion }) => {
		if (process.argv.includes('refuses')) throw new Error('Not today.')
		if (process.argv.includes('late')) await new Promise((done) => setTimeout(done, 1000))
		return {
			protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name: 'testing', version: String(process.pid) },
		}
	},
	'tools/list': () => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
	'tools/call': ({ name, arguments: values = {}, _meta }, id) => {
		calls += 1
		return tools[name](values, id, _meta?.progressToken)
	},
	ping: () => ({ calls }),
}

createInterface({ input: process.stdin }).on('line', async (line) => {
	const { id, method, params = {}, result } = JSON.parse(line)
	if (method === undefined) return answers.get(id)?.(result)
	if (id === undefined)
		// biome-ignore lint/style/noProcessEnv: a program may well write its secret to its log.
		return process.stderr.write(`${method} ${JSON.stringify(params)} ${process.env.API_KEY ?? ''}\n`)
	if (!methods[method]) return say({ id, error: { code: -32601, message: 'Method not found' } })
	try {
		say({ id, result: await methods[method](params, id) })
	} catch (error) {
		say({ id, error: { code: -32000, message: String(error?.message ?? error) } })
	}
})
