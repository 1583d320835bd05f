import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { installStock } from './install-stock.ts'

const stock = installStock()
const run = promisify(execFile)
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
const own = createRequire(import.meta.url)
const scriptOf = (name: string) =>
	join(dirname(own.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js')
const apps = `${stock}/@modelcontextprotocol/server-basic-vanillajs/dist/index.js`

/** A public MCP server: how to run it, a tool call, and the text that the result must contain. */
interface PublicServer {
	/** Arguments with which Signalbox runs it over stdio. */
	args?: string[]
	/** Arguments with which the test runs it as an HTTP server. */
	http?: string[]
	tool: string
	values: Record<string, unknown>
	answers: string
	resource?: string
	prompt?: string
}

const everything = {
	tool: 'echo',
	values: { message: 'hello' },
	answers: 'Echo: hello',
	prompt: 'simple-prompt',
}
const getTime = { tool: 'get-time', values: {}, answers: 'T', resource: 'ui://get-time/mcp-app.html' }
const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
const servers: Record<string, PublicServer> = {
	everything: { args: [scriptOf('everything'), 'stdio'], ...everything },
	filesystem: {
		args: [scriptOf('filesystem'), '.'],
		...{ tool: 'list_allowed_directories', values: {}, answers: 'Allowed directories' },
	},
	memory: {
		args: [scriptOf('memory')],
		...{ tool: 'read_graph', values: {}, answers: 'entities' },
	},
	thinking: {
		args: [scriptOf('sequential-thinking')],
		...{ tool: 'sequentialthinking', values: thought, answers: 'thoughtHistoryLength' },
	},
	...(stock && { apps: { args: [apps, '--stdio'], ...getTime } }),
	'everything-http': { http: [scriptOf('everything'), 'streamableHttp'], ...everything },
	...(stock && { 'apps-http': { http: [apps], ...getTime } }),
}
const names = Object.keys(servers)

/** The common interface of all clients under test. */
interface StockClient {
	tools(): Promise<string[]>
	call(tool: string, values: Record<string, unknown>): Promise<string>
	read(uri: string): Promise<string>
	prompt(name: string): Promise<string>
	close(): Promise<void>
}

const clients: Record<string, (url: string, key: string) => Promise<StockClient>> = {
	'SDK v1': async (url, key) => {
		const client = new Client1({ name: 'stock', version: '1' })
		await client.connect(new Transport1(new URL(url), withKey(key)) as never)
		return wrap(client as never)
	},
	'SDK v2, legacy': async (url, key) => {
		const client = new Client2({ name: 'stock', version: '1' })
		await client.connect(new Transport2(new URL(url), withKey(key)))
		return wrap(client)
	},
	'SDK v2, 2026-07-28': async (url, key) => {
		const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const
		const client = new Client2({ name: 'stock', version: '1' }, options)
		await client.connect(new Transport2(new URL(url), withKey(key)))
		return wrap(client)
	},
	...(stock && {
		'Inspector, legacy': async (url, key) => inspector(url, key, 'legacy'),
		'Inspector, 2026-07-28': async (url, key) => inspector(url, key, 'modern'),
	}),
}

function withKey(key: string) {
	return { requestInit: { headers: { authorization: `Bearer ${key}` } } }
}

function wrap(client: Client2): StockClient {
	return {
		tools: async () => (await client.listTools()).tools.map(({ name }) => name),
		call: async (name, values) => JSON.stringify(await client.callTool({ name, arguments: values })),
		read: async (uri) => JSON.stringify(await client.readResource({ uri })),
		prompt: async (name) => JSON.stringify(await client.getPrompt({ name })),
		close: () => client.close(),
	}
}

/** A client that starts the command line of the MCP Inspector for each request. */
function inspector(url: string, key: string, era: string): StockClient {
	const ask = async (...args: string[]) => {
		const how = ['--cli', url, '--transport', 'http', '--protocol-era', era, '--format', 'json', '--quiet']
		const script = `${stock}/.bin/mcp-inspector`
		const header = ['--header', `Authorization: Bearer ${key}`]
		return (await run(process.execPath, [script, ...how, ...header, '--method', ...args])).stdout
	}
	return {
		tools: async () => (await ask('tools/list')).match(/(?<="name": ?")[^"]+/g) ?? [],
		call: (tool, values) =>
			ask('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(values)),
		read: (uri) => ask('resources/read', '--uri', uri),
		prompt: (name) => ask('prompts/get', '--prompt-name', name),
		close: async () => {},
	}
}

const dataDir = newDataDir()
const folder = mkdtempSync(join(tmpdir(), 'signalbox-stock-'))
const children: ChildProcess[] = []
const ids = new Map<string, string>()
let program: Program
let key: string

beforeAll(async () => {
	const readable = [resolve('node_modules'), ...(stock ? [stock] : [])].join(',')
	const settings = { SIGNALBOX_PROGRAM_PATHS: readable, SIGNALBOX_OVERLOAD_LAG_MS: '0' }
	program = await startProgram(dataDir, settings)
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
	const agent = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Rosa' }, 201)
	key = (await program.api<{ key: string }>('POST', `/v1/agents/${agent.id}/keys`, { name: 'k' }, 201)).key
	const addGranted = async (name: string) => {
		const id = await addServer(name, servers[name] as PublicServer)
		ids.set(name, id)
		const grant = { agent_uuid: agent.id, access_mode: 'all' }
		await program.api('POST', `/v1/mcp/servers/${id}/access`, grant, 201)
	}
	await Promise.all(names.map(addGranted))
}, 60_000)
afterAll(async () => {
	await program?.kill('SIGTERM')
	for (const child of children) child.kill()
	removeDataDir(dataDir)
	rmSync(folder, { recursive: true, force: true })
})

async function addServer(name: string, { args, http }: PublicServer): Promise<string> {
	const path = '/v1/mcp/servers'
	const env = { MEMORY_FILE_PATH: '/tmp/signalbox-memory.jsonl' }
	const made = http ? { name, url: await serve(http) } : { name, command: 'node', args, env }
	const { id } = await program.api<{ id: string }>('POST', path, made, 201)
	// On machines without a sandbox, the programs run without one, which makes no difference to this test.
	if (args) await accept(`${path}/${id}/program`)
	const { error } = await program.api<{ error: string | null }>('GET', `${path}/${id}/health`)
	// All servers start at once, so a slow machine may report a slow answer, which is no failure here.
	if (error && !/^It took \d+ ms to answer[.]$/.test(error)) throw new Error(`${name}: ${error}`)
	return id
}

async function accept(path: string): Promise<void> {
	const { acceptance_sentence: sentence } = await program.api<{ acceptance_sentence: string }>('GET', path)
	await program.api('POST', `${path}/acceptance`, { sentence })
}

/** Starts an HTTP server in a child process and returns its URL. */
async function serve(args: string[]): Promise<string> {
	const probe = createServer()
	await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
	const { port } = probe.address() as AddressInfo
	await new Promise((done) => probe.close(done))
	const env = { ...process.env, PORT: String(port) }
	children.push(spawn(process.execPath, args, { stdio: 'ignore', env }))
	const url = `http://127.0.0.1:${port}/mcp`
	const answers = () =>
		fetch(url).then(
			() => true,
			() => false,
		)
	for (let tries = 0; tries < 150 && !(await answers()); tries += 1) await pause(100)
	return url
}

describe.each(Object.keys(clients))('%s', (kind) => {
	const connect = (path: string) => (clients[kind] as (typeof clients)[string])(`${program.url}${path}`, key)

	const isInspector = kind.startsWith('Inspector')
	/** The Inspector starts a process for each request, so it is tried with fewer servers. Its eras differ only in the handshake. */
	const few = process.env.LONG_TESTS ? ['everything', 'apps-http'] : ['everything']

	it('lists and calls all public servers through /mcp', async () => {
		const client = await connect('/mcp')
		const tools = await client.tools()
		for (const name of names) expect(tools).toContain(`${name}__${servers[name]?.tool}`)
		const ask = async (name: string) => {
			const { tool, values, answers } = servers[name] as PublicServer
			expect(await client.call(`${name}__${tool}`, values), name).toContain(answers)
		}
		await Promise.all((isInspector ? few : names).map(ask))
		await client.close()
	})

	const fewOwn = kind === 'Inspector, 2026-07-28' ? names.slice(-2) : names.slice(-1)
	const tried = isInspector && (kind !== 'Inspector, legacy' || !process.env.LONG_TESTS) ? fewOwn : names
	it.concurrent.each(tried)('uses %s through its own endpoint', async (name) => {
		const { tool, values, answers, resource, prompt } = servers[name] as PublicServer
		const client = await connect(`/mcp/${name}`)
		if (!isInspector) expect(await client.tools()).toContain(tool)
		expect(await client.call(tool, values)).toContain(answers)
		if (resource) expect(await client.read(resource)).toContain('<!')
		if (prompt) expect(await client.prompt(prompt)).toContain('messages')
		await client.close()
	})
})

/** The client's response to a sampling request of a server. */
const message = { model: 'm', role: 'assistant', content: { type: 'text', text: 'Sampled.' } }
const askable: Record<string, (url: URL) => Promise<StockClient>> = {
	'SDK v1': async (url) => {
		const client = new Client1({ name: 'stock', version: '1' }, { capabilities: { sampling: {}, roots: {} } })
		client.setRequestHandler(CreateMessageRequestSchema, () => message as never)
		client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///own', name: 'own' }] }))
		await client.connect(new Transport1(url, withKey(key)) as never)
		return wrap(client as never)
	},
	'SDK v2, 2026-07-28': async (url) => {
		const client = new Client2(
			{ name: 'stock', version: '1' },
			{ capabilities: { sampling: {}, roots: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
		)
		client.setRequestHandler('sampling/createMessage', () => message as never)
		client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///own', name: 'own' }] }))
		await client.connect(new Transport2(url, withKey(key)))
		return wrap(client)
	},
}
const sampler = 'trigger-sampling-request'

describe.each(['everything', 'everything-http'])('tools of %s that send requests to the client', (name) => {
	beforeAll(() => refresh(name), 60_000)

	it.each(Object.keys(askable))('are listed and called by %s, through both endpoints', async (kind) => {
		for (const [path, before] of [
			['/mcp', `${name}__`],
			[`/mcp/${name}`, ''],
		] as const) {
			const client = await (askable[kind] as (typeof askable)[string])(new URL(program.url + path))
			const tools = await client.tools()
			expect(tools).toContain(`${before}${sampler}`)
			expect(tools).not.toContain(`${before}trigger-elicitation-request`)
			expect(await client.call(`${before}${sampler}`, { prompt: 'x' })).toContain('Sampled.')
			await client.close()
		}
	})

	it('are neither listed nor called for a client without that capability', async () => {
		const client = await (clients['SDK v1'] as (typeof clients)[string])(`${program.url}/mcp/${name}`, key)
		expect(await client.tools()).not.toContain(sampler)
		await expect(client.call(sampler, { prompt: 'x' })).rejects.toThrow('can be asked for sampling')
		await client.close()
	})
})

async function refresh(name: string): Promise<void> {
	const path = `/v1/mcp/servers/${ids.get(name)}/tools/refresh`
	const { tools } = await program.api<{ tools: { name: string }[] }>('POST', path)
	expect(tools.map((tool) => tool.name)).toContain(sampler)
}

it.skipIf(stock)(
	'the Inspector and the fifth server are skipped because the npm registry cannot be reached',
	() => {},
)
