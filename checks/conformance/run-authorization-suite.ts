import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Program } from '../../server/src/program/program.testing.ts'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')

/** Runs the suite's checks of an authorization server against a running program whose owner consents. Returns check id → status. */
export async function runAuthorizationSuite(program: Program): Promise<Record<string, string>> {
	const output = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
	const port = await freePort()
	const child = spawn(
		process.execPath,
		[
			join(dirname(manifest), 'dist/index.js'),
			...['authorization', '--url', program.url, '--client-id', await register(program, port)],
			...['--resource', `${program.url}/mcp`, '--port', String(port), '-o', output],
		],
		{
			stdio: ['ignore', 'pipe', 'inherit'],
			env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, NO_COLOR: '1' },
		},
	)
	const consents: Promise<void>[] = []
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line.startsWith(`${program.url}/oauth/authorize?`)) consents.push(agree(program, line))
	})
	try {
		await new Promise((done) => child.once('close', done))
		await Promise.all(consents)
		return Object.fromEntries(readdirSync(output).flatMap((name) => checksIn(join(output, name))))
	} finally {
		rmSync(output, { recursive: true, force: true })
	}
}

function checksIn(directory: string): [string, string][] {
	const text = readFileSync(join(directory, 'checks.json'), 'utf8')
	return (JSON.parse(text) as { id: string; status: string }[]).map(({ id, status }) => [id, status])
}

async function register({ url }: Program, port: number): Promise<string> {
	const body = { client_name: 'The suite', redirect_uris: [`http://127.0.0.1:${port}/callback`] }
	const answer = await fetch(`${url}/oauth/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	})
	return ((await answer.json()) as { client_id: string }).client_id
}

/** Does what the consent page does when the signed-in owner presses "Allow". */
async function agree({ url, token }: Program, address: string): Promise<void> {
	const page = await fetch(address, { redirect: 'manual' })
	const request = new URL(page.headers.get('location') ?? '', url).hash.slice(1)
	const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0])
	const decided = await fetch(`${url}/v1/authorizations/decide`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${token}`,
			'content-type': 'application/json',
			cookie: cookie.join('; '),
		},
		body: JSON.stringify({ request, decision: 'approve' }),
	})
	await fetch(((await decided.json()) as { redirect_url: string }).redirect_url)
}

async function freePort(): Promise<number> {
	const probe = createServer()
	await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
	const { port } = probe.address() as { port: number }
	await new Promise((done) => probe.close(done))
	return port
}
