import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Role, roles, scopes } from '@signalbox/contract'
import { call, owner } from '../../server/src/program.testing.ts'

export interface Identity {
	name: string
	headers: Record<string, string>
	/** What it is: decides what each rule must answer. */
	kind: 'none' | 'broken' | 'ambiguous' | 'user' | 'platform_key' | 'agent_key' | 'ingest_token'
	role?: Role
	/** Whether the person is an operator of the instance. */
	operator?: true
	/** Whether a platform key carries every scope, or only one that no route of the matrix asks for. */
	allScopes?: boolean
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

/** Makes one caller of every kind that the matrix tries, for real, in a running instance. */
export async function makeIdentities(url: string, dataDir: string): Promise<Identity[]> {
	const { token } = await call<{ token: string }>(url, 'POST', '/auth/login', owner, 200, '')
	const api = <T>(method: string, path: string, body: unknown, expected: number) =>
		call<T>(url, method, path, body, expected, token)
	const newKey = async (body: object) =>
		await api<{ id: string; key: string }>('POST', '/v1/keys', { name: 'matrix', ...body }, 201)
	const everything = await newKey({ scopes: [...scopes] })
	const little = await newKey({ scopes: ['alerts:read'] })
	const revoked = await newKey({ scopes: [...scopes] })
	await api('DELETE', `/v1/keys/${revoked.id}`, undefined, 204)
	const expiring = await newKey({
		scopes: [...scopes],
		expires_at: new Date(Date.now() + 1000).toISOString(),
	})
	const agent = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'Matrix' }, 201)
	const agentKey = await newKey({ agent_uuid: agent.uuid })
	const ingest = await api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'matrix' }, 201)
	const signedOut = await call<{ token: string }>(url, 'POST', '/auth/login', owner, 200, '')
	await call(url, 'POST', '/auth/logout', undefined, 204, signedOut.token)
	const users = await makeUsers(url, dataDir)
	await new Promise((resolve) => setTimeout(resolve, 1100))
	return [
		{ name: 'no credential', headers: {}, kind: 'none' },
		{ name: 'garbage', headers: bearer('garbage'), kind: 'broken' },
		{ name: 'a prefix of a valid key', headers: bearer(everything.key.slice(0, -1)), kind: 'broken' },
		{ name: 'a revoked key', headers: bearer(revoked.key), kind: 'broken' },
		{ name: 'an expired key', headers: bearer(expiring.key), kind: 'broken' },
		{ name: 'a signed-out token', headers: bearer(signedOut.token), kind: 'broken' },
		{ name: 'a tampered token', headers: bearer(tamper(token)), kind: 'broken' },
		{
			name: 'two credentials',
			headers: { ...bearer(everything.key), 'x-service-api-key': everything.key },
			kind: 'ambiguous',
		},
		{
			name: 'a platform key with all scopes',
			headers: { 'x-service-api-key': everything.key, 'x-signalbox-agent': agent.uuid },
			kind: 'platform_key',
			allScopes: true,
		},
		{
			name: 'the same as x-api-key',
			headers: { 'x-api-key': everything.key, 'x-signalbox-agent': agent.uuid },
			kind: 'platform_key',
			allScopes: true,
		},
		{
			name: 'a platform key with a foreign scope',
			headers: bearer(little.key),
			kind: 'platform_key',
			allScopes: false,
		},
		{ name: 'the operator', headers: bearer(token), kind: 'user', role: 'owner', operator: true },
		{ name: 'an agent key', headers: bearer(agentKey.key), kind: 'agent_key' },
		{ name: 'an ingest token', headers: bearer(ingest.token), kind: 'ingest_token' },
		...users,
	]
}

function tamper(token: string): string {
	const [header, payload = '', signature] = token.split('.')
	const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
	const changed = Buffer.from(
		JSON.stringify({ ...claims, workspace: '00000000-0000-7000-8000-000000000000' }),
	).toString('base64url')
	return [header, changed, signature].join('.')
}

/** One member of each role, made in the store: invitations come by mail. They share the owner's password hash. */
async function makeUsers(url: string, dataDir: string): Promise<Identity[]> {
	const database = new DatabaseSync(join(dataDir, 'control.db'), { timeout: 5000 })
	const template = database
		.prepare('select id, password_hash from users where email = ?')
		.get(owner.email) as { id: string; password_hash: string }
	const { workspace_id } = database
		.prepare('select workspace_id from members where user_id = ?')
		.get(template.id) as { workspace_id: string }
	for (const role of roles) {
		const id = `matrix-${role}`
		database
			.prepare(
				'insert into users (id, email, name, password_hash, verified, operator, created_at, updated_at) values (?, ?, ?, ?, 1, 0, 0, 0)',
			)
			.run(id, `${role}@matrix.example`, role, template.password_hash)
		database
			.prepare('insert into members (workspace_id, user_id, role, created_at) values (?, ?, ?, 0)')
			.run(workspace_id, id, role)
		database
			.prepare(
				"insert into changes (seq, kind, entity_id, at) select coalesce(max(seq), 0) + 1, 'user', ?, 0 from changes",
			)
			.run(id)
	}
	database.close()
	await new Promise((resolve) => setTimeout(resolve, 1000))
	return Promise.all(
		roles.map(async (role): Promise<Identity> => {
			const { token } = await call<{ token: string }>(
				url,
				'POST',
				'/auth/login',
				{ email: `${role}@matrix.example`, password: owner.password },
				200,
				'',
			)
			return { name: `a signed-in ${role}`, headers: bearer(token), kind: 'user', role }
		}),
	)
}
