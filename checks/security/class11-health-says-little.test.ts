import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { owner } from '../../server/src/program/program.testing.ts'
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
