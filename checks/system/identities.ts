import { type Role, roles, type Scope, scopes } from '@signalbox/contract'
import { call, owner } from '../../server/src/program/program.testing.ts'

export interface Identity {
	name: string
	headers: Record<string, string>
	/** The kind of caller, from which the test derives the expected response for each rule. */
	kind: 'none' | 'broken' | 'ambiguous' | 'refused' | 'user' | 'platform_key' | 'agent_key' | 'ingest_token'
	role?: Role
	/** Whether the person is an operator of the instance. */
	operator?: true
	/** Whether a platform key carries every scope, or only `scope`. */
	allScopes?: boolean
	scope?: Scope
	/** A user who is no member of the tested workspace and must get 404 for its objects. */
	outsider?: true
}

export interface Cast {
	identities: Identity[]
	/** The workspace to which the identities belong. */
	workspaceId: string
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

/** Creates one caller of every kind for the matrix, with real credentials of a running instance. */
export async function makeIdentities(url: string): Promise<Cast> {
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
	const { workspace } = await api<{ workspace: { id: string } }>('GET', '/auth/me', undefined, 200)
	const inviting = { url, ownerToken: token, workspaceId: workspace.id }
	const users = await makeUsers(inviting)
	const others = [...(await makeOutsiders(inviting)), ...(await makeRotated(url, newKey, token))]
	const elsewhere = await newKey({ scopes: [...scopes], allowed_addresses: ['192.0.2.7'] })
	await new Promise((resolve) => setTimeout(resolve, 1100))
	const identities: Identity[] = [
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
			name: 'a platform key that may only read alerts',
			headers: bearer(little.key),
			kind: 'platform_key',
			allScopes: false,
			scope: 'alerts:read',
		},
		{ name: 'the operator', headers: bearer(token), kind: 'user', role: 'owner', operator: true },
		{ name: 'an agent key', headers: bearer(agentKey.key), kind: 'agent_key' },
		{ name: 'an ingest token', headers: bearer(ingest.token), kind: 'ingest_token' },
		{ name: 'a key from an address not allowed', headers: bearer(elsewhere.key), kind: 'refused' },
		...users,
		...others,
	]
	return { identities, workspaceId: workspace.id }
}

function tamper(token: string): string {
	const [header, payload = '', signature] = token.split('.')
	const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
	const changed = Buffer.from(
		JSON.stringify({ ...claims, workspace: '00000000-0000-7000-8000-000000000000' }),
	).toString('base64url')
	return [header, changed, signature].join('.')
}

interface Inviting {
	url: string
	ownerToken: string
	workspaceId: string
}

/** Creates one member of each role by invitation. */
async function makeUsers(inviting: Inviting): Promise<Identity[]> {
	const users: Identity[] = []
	for (const role of roles) {
		const { token } = await join(inviting, `${role}@matrix.example`, role)
		users.push({ name: `a signed-in ${role}`, headers: bearer(token), kind: 'user', role })
	}
	return users
}

/** Creates users who have an account but are not members: an owner of another workspace, an invited user and a removed one. */
async function makeOutsiders(inviting: Inviting): Promise<Identity[]> {
	const outsider = { kind: 'user', role: 'owner', outsider: true } as const
	const register = async (email: string) => {
		const body = { email, password: owner.password }
		return (await call<{ token: string }>(inviting.url, 'POST', '/auth/register', body, 201, '')).token
	}
	const stranger = await register('stranger@matrix.example')
	const invited = await register('invited@matrix.example')
	await invite(inviting, 'invited@matrix.example', 'owner')
	const removed = await join(inviting, 'removed@matrix.example', 'admin')
	const member = `/v1/workspaces/${inviting.workspaceId}/members/${removed.user.id}`
	await call(inviting.url, 'DELETE', member, undefined, 204, inviting.ownerToken)
	return [
		{ name: 'the owner of another workspace', headers: bearer(stranger), ...outsider },
		{ name: 'somebody invited who has not accepted', headers: bearer(invited), ...outsider },
		{ name: 'a removed member', headers: bearer(removed.token), kind: 'broken' },
	]
}

/** Rotates keys and returns the old secret during and after its grace period, and the new secret, which has been used. */
async function makeRotated(
	url: string,
	newKey: (body: object) => Promise<{ id: string; key: string }>,
	token: string,
): Promise<Identity[]> {
	const rotate = async (grace_s: number) => {
		const old = await newKey({ scopes: [...scopes] })
		const { key } = await call<{ key: string }>(
			url,
			'POST',
			`/v1/keys/${old.id}/rotate`,
			{ grace_s },
			201,
			token,
		)
		await call(url, 'GET', '/v1/keys', undefined, 200, key)
		return { old: bearer(old.key), new: bearer(key) }
	}
	const over = await rotate(0)
	const inGrace = await rotate(3600)
	const { uuid } = await call<{ uuid: string }>(url, 'POST', '/v1/agents', { name: 'Rotated' }, 201, token)
	const agent = { 'x-signalbox-agent': uuid }
	const passing = { kind: 'platform_key', allScopes: true } as const
	return [
		{ name: 'a rotated key, its grace over', headers: { ...over.old, ...agent }, kind: 'broken' },
		{ name: 'a rotated key in its grace', headers: { ...inGrace.old, ...agent }, ...passing },
		{ name: 'the new secret of a rotated key', headers: { ...over.new, ...agent }, ...passing },
	]
}

/** Invites somebody and returns the token in the link of the invitation. */
async function invite(
	{ url, ownerToken, workspaceId }: Inviting,
	email: string,
	role: Role,
): Promise<string | null> {
	const path = `/v1/workspaces/${workspaceId}/invitations`
	const { link } = await call<{ link: string }>(url, 'POST', path, { email, role }, 201, ownerToken)
	return new URLSearchParams(new URL(link).hash.slice(1)).get('token')
}

/** Invites a new user, accepts the invitation and returns the user's session. */
async function join(inviting: Inviting, email: string, role: Role) {
	const body = { token: await invite(inviting, email, role), password: owner.password }
	return await call<{ token: string; user: { id: string } }>(
		inviting.url,
		'POST',
		'/auth/invitations/accept',
		body,
		200,
		'',
	)
}
