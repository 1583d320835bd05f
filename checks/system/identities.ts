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
export async function makeIdentities(url: string): Promise<Identity[]> {
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
	const users = await makeUsers(url, token)
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

/** One member of each role, by invitation. */
async function makeUsers(url: string, ownerToken: string): Promise<Identity[]> {
	const { workspace } = await call<{ workspace: { id: string } }>(
		url,
		'GET',
		'/auth/me',
		undefined,
		200,
		ownerToken,
	)
	const users: Identity[] = []
	for (const role of roles) {
		const token = await invite(url, ownerToken, workspace.id, role)
		users.push({ name: `a signed-in ${role}`, headers: bearer(token), kind: 'user', role })
	}
	return users
}

/** The access token of a new person who has accepted an invitation. */
async function invite(url: string, ownerToken: string, workspaceId: string, role: Role): Promise<string> {
	const path = `/v1/workspaces/${workspaceId}/invitations`
	const wanted = { email: `${role}@matrix.example`, role }
	const { link } = await call<{ link: string }>(url, 'POST', path, wanted, 201, ownerToken)
	const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token')
	const body = { token, password: owner.password }
	return (await call<{ token: string }>(url, 'POST', '/auth/invitations/accept', body, 200, '')).token
}
