import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newToken } from '../../server/src/platform/crypto/token.ts'
import { startMailServer, type TestMailServer } from '../../server/src/platform/mail/testing.ts'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type Answer, bearer, send } from './attack.ts'
import { canary, filesBelow, foundIn, processesBelow, secrets, shownOnce } from './canaries.ts'

const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))
const run = promisify(execFile)

/** Not secret. It proves that the searched files and responses contain the data that was sent. */
const marker = `MARKER${randomBytes(8).toString('hex')}`
const answers: { path: string; text: string }[] = []
const dataDir = newDataDir()
const backups = newDataDir()
let program: Program
let mail: TestMailServer
let upstream: Server
let environment: Record<string, string>

beforeAll(async () => {
	mail = await startMailServer()
	upstream = createServer((request, response) => {
		// This provider repeats the key that it received, as some do in their errors.
		const refusal = JSON.stringify({
			error: { message: `Incorrect API key provided: ${request.headers.authorization}` },
		})
		response.writeHead(401, { 'content-type': 'application/json' }).end(refusal)
	})
	await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
	const mailUrl = new URL(mail.url)
	mailUrl.username = 'mailer'
	mailUrl.password = canary('password of the mail server')
	environment = {
		SIGNALBOX_LOG_LEVEL: 'trace',
		SIGNALBOX_OVERLOAD_LAG_MS: '0',
		SIGNALBOX_MASTER_KEY: shownOnce('master key', randomBytes(32).toString('hex')),
		SIGNALBOX_INIT_PLATFORM_KEY: shownOnce('first platform key', newToken(tokenPrefixes.key)),
		SIGNALBOX_INIT_INGEST_TOKEN: shownOnce('first ingest token', newToken(tokenPrefixes.ingestToken)),
		SIGNALBOX_INIT_ADMIN_EMAIL: owner.email,
		SIGNALBOX_INIT_ADMIN_PASSWORD: owner.password,
		SIGNALBOX_METRICS_TOKEN: canary('metrics token'),
		SIGNALBOX_SMTP_URL: mailUrl.href,
		SIGNALBOX_MAIL_FROM: 'signalbox@example.org',
		SIGNALBOX_OIDC_CORP_ISSUER: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/issuer`,
		SIGNALBOX_OIDC_CORP_CLIENT_ID: 'signalbox',
		SIGNALBOX_OIDC_CORP_CLIENT_SECRET: canary('client secret of the identity provider'),
	}
	secrets.set('password of the owner', owner.password)
	program = await startProgram(dataDir, environment)
	secrets.set('access token of the owner', program.token)
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	await mail?.close()
	upstream?.close()
	removeDataDir(dataDir)
	removeDataDir(backups)
})

/** Calls the API as the owner, or with `headers`. `once` names the fields with a secret that only this response may show. */
async function ask(
	path: string,
	attack: Parameters<typeof send>[1] = {},
	...once: string[]
): Promise<Answer> {
	const answer = await send(path, { url: program.url, headers: bearer(program.token), ...attack })
	// With a mail server, a link is only in the message, and null in the response.
	const shown = once
		.filter((field) => typeof answer.body[field] === 'string')
		.map((field) => shownOnce(`${field} of ${path} ${secrets.size}`, answer.body[field]))
	const text = shown.reduce((rest, secret) => rest.replaceAll(secret, ''), answer.text)
	answers.push({ path, text: JSON.stringify(answer.headers) + text })
	return answer
}

async function useEverything(): Promise<void> {
	const { port } = upstream.address() as AddressInfo
	const url = `http://127.0.0.1:${port}`
	const me = await ask('/auth/me')
	const workspace = me.body.workspace.id
	// People.
	await ask('/auth/login', { headers: {}, body: { email: owner.email, password: canary('wrong password') } })
	await ask('/auth/login', {
		headers: {},
		body: { email: canary('password in the wrong field'), password: 'x' },
	})
	const person = { email: 'person@example.org', password: canary('password of a person') }
	const registered = await ask('/auth/register', { headers: {}, body: person }, 'token', 'refresh_token')
	const changed = { current_password: person.password, new_password: canary('new password of a person') }
	await ask('/auth/password/change', { headers: bearer(registered.body.token), body: changed })
	await ask(
		'/auth/refresh',
		{ headers: {}, body: { refresh_token: registered.body.refresh_token } },
		'token',
		'refresh_token',
	)
	await ask('/auth/password/forgot', { headers: {}, body: { email: person.email } })
	await ask(
		`/v1/workspaces/${workspace}/invitations`,
		{ body: { email: 'invited@example.org', role: 'member' } },
		'link',
	)
	for (const { text } of mail.received)
		for (const [link] of text.matchAll(/https?:\/\/\S+#\S+/g))
			secrets.set(
				`link by mail ${secrets.size}`,
				new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? link,
			)
	await ask('/auth/oauth/corp/start', { headers: {} })
	await ask(`/auth/oauth/corp/callback?code=${canary('code of a sign-in')}&state=x`, { headers: {} })
	const key = await ask(
		'/v1/keys',
		{ body: { name: 'k', scopes: ['agents:read', 'proxy:invoke', 'mcp:invoke'] } },
		'key',
	)
	await ask(`/v1/keys/${key.body.id}/rotate`, { body: {} }, 'key')
	const token = await ask('/v1/ingest-tokens', { body: { name: 't' } }, 'token')
	const agent = await ask('/v1/agents', { body: { name: 'agent' } })
	const agentKey = await ask(`/v1/agents/${agent.body.uuid}/keys`, { body: { name: 'k' } }, 'key')
	await ask('/agent/list', { headers: bearer(canary('key that is not known')) })
	await ask(`/agent/list?key=${canary('key in a query')}`, { headers: {} })
	await ask('/agent/list', {
		headers: { authorization: `Basic ${btoa(`user:${canary('password of Basic')}`)}` },
	})
	const account = {
		name: 'account',
		provider: 'openai_compatible',
		key: canary('provider key'),
		base_url: url,
	}
	const connection = await ask('/v1/provider-keys', { body: account })
	await ask(`/v1/provider-keys/${connection.body.id}/test`, { method: 'POST' })
	await ask(`/v1/provider-keys/${connection.body.id}`, {
		method: 'PATCH',
		body: { key: canary('second provider key') },
	})
	await ask('/v1/provider-keys', {
		body: {
			...account,
			key: canary('provider key of a refused request'),
			base_url: 'http://169.254.169.254/',
		},
	})
	await ask('/v1/provider-keys', {
		body: { ...account, key: { wrong: canary('provider key of a wrong type') } },
	})
	const headers = { authorization: `Bearer ${canary('header of a server')}` }
	const server = await ask('/v1/mcp/servers', { body: { name: 'server', url: `${url}/mcp`, headers } })
	await ask(`/v1/mcp/servers/${server.body.id}`, {
		method: 'PATCH',
		body: { headers: { 'x-token': canary('second header of a server') } },
	})
	await ask(`/v1/mcp/servers/${server.body.id}/health`)
	await ask(`/v1/workspaces/${workspace}/rights`, { method: 'PATCH', body: { stdio: true } })
	const program_ = {
		name: 'program',
		command: 'sh',
		args: ['-c', 'sleep 60'],
		env: { TOKEN: canary('environment of a program') },
	}
	const hosted = await ask('/v1/mcp/servers', { body: program_ })
	const ofProgram = `/v1/mcp/servers/${hosted.body.id}`
	const { acceptance_sentence: sentence } = (await ask(`${ofProgram}/program`)).body
	await ask(`${ofProgram}/program/acceptance`, { body: { sentence } })
	const started = ask(`${ofProgram}/health`)
	await lookAtProcesses(secrets.get('environment of a program') as string)
	await started
	await ask('/v1/mcp/servers/import', {
		body: { mcpServers: { imported: { url, headers: { 'x-key': canary('header of an import') } } } },
	})
	const hook = await ask('/v1/webhooks', { body: { url: `${url}/hook`, events: ['agents.*'] } }, 'secret')
	await ask(`/v1/webhooks/${hook.body.id}/rotate-secret`, { method: 'POST' }, 'secret')
	await ask(`/v1/webhooks/${hook.body.id}/test`, { method: 'POST' })
	// Traffic.
	const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
	await ask('/mcp', { headers: bearer(agentKey.body.key), body: call })
	await ask('/mcp', { headers: { ...bearer(agentKey.body.key), cookie: canary('cookie') }, body: 'no JSON' })
	const own = {
		'x-service-api-key': agentKey.body.key,
		authorization: `Bearer ${canary('own provider key of a caller')}`,
	}
	await send('/proxy/account/v1/chat/completions', {
		url: program.url,
		headers: own,
		body: { model: 'm', messages: [] },
	})
	// This response is not searched: it is the provider's, byte for byte, and this provider repeats the key that it received.
	await send(`/proxy/account/v1/models?key=${agentKey.body.key}`, { url: program.url })
	const now = String(BigInt(Date.now()) * 1_000_000n)
	const span = {
		traceId: 'c'.repeat(32),
		spanId: 'd'.repeat(16),
		name: marker,
		kind: 1,
		startTimeUnixNano: now,
		endTimeUnixNano: now,
	}
	await ask('/v1/traces', {
		headers: bearer(token.body.token),
		body: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
	})
	await ask('/v1/agents', {
		body: { name: 'again' },
		headers: { ...bearer(program.token), 'idempotency-key': 'one' },
	})
	await ask(
		'/v1/keys',
		{ body: { name: 'once' }, headers: { ...bearer(program.token), 'idempotency-key': 'two' } },
		'key',
	)
}

/** Collects the arguments of all child processes, and the environment of all but the hosted program, while it runs. */
async function lookAtProcesses(ofHosted: string): Promise<void> {
	const isHosted = (name: string) => name === 'sh' || name === 'sleep'
	// Until then, the process is still prlimit, which starts the program and passes the environment on.
	await expect
		.poll(() =>
			processesBelow(program.pid).some(
				({ name, environment }) => isHosted(name) && environment.includes(ofHosted),
			),
		)
		.toBe(true)
	const all = processesBelow(program.pid)
	// These are our own helpers and the commands that start the program. The program itself was given its own secret.
	for (const { name, args, environment } of all) {
		answers.push({ path: `/proc/${name}/cmdline`, text: args })
		if (!isHosted(name)) answers.push({ path: `/proc/${name}/environ`, text: environment })
	}
	expect(all.length).toBeGreaterThan(1)
}

async function readEverything(): Promise<void> {
	const document = JSON.parse((await ask('/openapi.json')).text) as {
		paths: Record<string, { get?: unknown }>
	}
	const lists = Object.keys(document.paths).filter((path) => document.paths[path]?.get && !path.includes('{'))
	for (const path of lists.filter((path) => !/events|live/.test(path))) {
		const { body } = await ask(path)
		const [items] = Object.values(body ?? {}).filter(Array.isArray) as { id?: string; uuid?: string }[][]
		for (const { id, uuid } of (items ?? []).slice(0, 5))
			for (const rest of [
				'',
				'/deliveries',
				'/tools',
				'/access',
				'/health/history',
				'/install',
				'/members',
				'/invitations',
			])
				if (id ?? uuid) await ask(`${path}/${id ?? uuid}${rest}`)
	}
	await ask('/metrics', { headers: bearer(secrets.get('metrics token') as string) })
}

// LiteLLM wrote partly masked keys to its log (CVE-2024-9606) and showed Langfuse keys in an error message (CVE-2025-0330) and a
// provider key in its health output (CVE-2025-11203).
describe('the secrets of a whole run', () => {
	it('are in no file, log, response, export or backup', async () => {
		await useEverything()
		await readEverything()
		const env = {
			PATH: process.env.PATH,
			HOME: backups,
			...environment,
			SIGNALBOX_DATA_DIR: dataDir,
		} as NodeJS.ProcessEnv
		const cli = async (...args: string[]) => {
			const { stdout, stderr } = await run(process.execPath, [bin, ...args], { env }).catch(
				(error: { stdout: string; stderr: string }) => error,
			)
			answers.push({ path: `signalbox ${args.join(' ')}`, text: stdout + stderr })
			return stdout + stderr
		}
		mkdirSync(join(backups, 'of'), { recursive: true })
		const backup = await cli('backup', 'create', join(backups, 'of', 'all'))
		expect(backup).toContain('The backup is in')
		await cli('config', 'print', '--json')
		await cli('audit', 'verify', '--json')
		expect(await exported()).toContain('account')
		await new Promise((resolve) => setTimeout(resolve, 1500))
		const live = filesBelow(dataDir).map((path) => [path, readFileSync(path)] as const)
		await program.kill('SIGTERM')
		const atRest = [...filesBelow(dataDir), ...filesBelow(backups)].map(
			(path) => [path, readFileSync(path)] as const,
		)
		const places: (readonly [string, Buffer])[] = [
			...live,
			...atRest,
			['the log of the program', Buffer.from(program.log.join('\n'))],
			...answers.map(({ path, text }) => [`the answer of ${path}`, Buffer.from(text)] as const),
		]
		expect(secrets.size).toBeGreaterThan(35)
		expect(places.filter(([, content]) => content.includes(marker)).length).toBeGreaterThan(1)
		expect([...new Set(places.flatMap(([place, content]) => foundIn(place, content)))]).toEqual([])
		console.log(`${secrets.size} secrets, ${places.length} files and answers`)
	})
})

/** Returns what `signalbox export` and the audit export write. */
async function exported(): Promise<string> {
	const env = {
		PATH: process.env.PATH,
		HOME: backups,
		SIGNALBOX_URL: program.url,
		SIGNALBOX_KEY: environment.SIGNALBOX_INIT_PLATFORM_KEY,
	} as NodeJS.ProcessEnv
	const { stdout, stderr } = await run(process.execPath, [bin, 'export'], { env }).catch(
		(error: { stdout: string; stderr: string }) => error,
	)
	answers.push({ path: 'signalbox export', text: stdout + stderr })
	const audit = await send('/v1/audit/export', { url: program.url, headers: bearer(program.token) })
	answers.push({ path: '/v1/audit/export', text: audit.text })
	expect(stdout).toContain('again')
	return audit.text + stdout
}
