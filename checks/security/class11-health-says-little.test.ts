import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { bearer, make, send } from './attack.ts'
import { useVictim } from './victim.ts'

const open = [
	'/livez',
	'/healthz',
	'/readyz',
	'/readyz?verbose',
	'/version',
	'/metrics',
	'/auth/methods',
	'/.well-known/jwks.json',
	'/',
	'/ui/',
	'/openapi.json',
	'/llms.txt',
	'/docs/errors',
	'/nothing',
]

// Without authentication, MetaMCP listed its sessions on a health page (CVE-2026-79537), LibreChat showed all users' chats on a test
// route (CVE-2025-54868), and Dify showed its settings (CVE-2025-63387).
describe('a public route', () => {
	const victim = useVictim()

	it('shows no id, name, address or path of this instance', async () => {
		const agent = await victim.newAgent()
		const me = await send('/auth/me', { headers: bearer(agent.key) })
		expect(me.status).toBe(401)
		const { id: keyId } = await make('/v1/keys', { name: 'a-name-to-find' })
		const secrets = [
			agent.id,
			agent.key,
			victim.serverId,
			victim.slug,
			victim.upstream.url,
			keyId,
			'a-name-to-find',
			owner.email,
			'signalbox-system-',
			tmpdir(),
			process.env.HOME ?? '/root',
		]
		for (const path of open) {
			const { text } = await send(path)
			for (const secret of secrets) expect(text.includes(secret), `${path} shows ${secret}`).toBe(false)
		}
	})

	it.each([
		'/health/sessions',
		'/api/search/test',
		'/console/api/system-features',
		'/sessions',
		'/debug',
		'/debug/vars',
		'/debug/pprof',
		'/status',
		'/env',
		'/config',
		'/admin',
		'/actuator/env',
		'/server-status',
		'/.env',
		'/.git/config',
		'/api/config',
		'/trace',
		'/heapdump',
		'/v1/debug',
		'/jobs',
	])('%s does not exist', async (path) => {
		expect((await send(path)).status).toBe(404)
	})
})

describe('an exposed instance', () => {
	const dataDir = newDataDir()
	let program: Program
	beforeAll(async () => {
		program = await startProgram(dataDir, {
			SIGNALBOX_PUBLIC_URL: 'https://signalbox.example.org',
			SIGNALBOX_METRICS_TOKEN: 'f3b1c07ad9e2465b8f10',
		})
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})

	it('shows metrics only with the metrics token', async () => {
		const ask = (headers: Record<string, string> = {}) => send('/metrics', { url: program.url, headers })
		for (const headers of [
			{},
			bearer('f3b1c07ad9e2465b8f1'),
			bearer(''),
			bearer(program.token),
			{ 'x-forwarded-for': '127.0.0.1' },
			{ authorization: 'f3b1c07ad9e2465b8f10' },
		])
			expect((await ask(headers as Record<string, string>)).status).toBe(401)
		const { status, text } = await ask(bearer('f3b1c07ad9e2465b8f10'))
		expect(status).toBe(200)
		expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
	})

	// DNS rebinding was also possible in the SDKs for Python (CVE-2025-66416), Java (CVE-2026-35568) and Rust (CVE-2026-42559), in
	// Playwright's server (CVE-2025-9611) and in MLflow (CVE-2025-14279).
	it('refuses requests for another host name and from another origin (CVE-2025-66414, CVE-2025-49596)', async () => {
		for (const host of ['attacker.example', 'localhost.attacker.example', '169.254.169.254', '0.0.0.0'])
			for (const path of ['/livez', '/mcp', '/v1/agents'])
				expect(
					(await send(path, { url: program.url, headers: { host, ...bearer(program.token) } })).status,
				).toBe(400)
		const origin = { origin: 'http://attacker.example' }
		expect((await send('/mcp', { url: program.url, headers: origin, body: {} })).status).toBe(403)
	})
})
