import { randomUUID } from 'node:crypto'
import type { Role } from '@signalbox/contract'
import { addSetupToken } from './setup/headless-start.ts'
import type { TestApp, TestCore } from './testing.ts'

type Request = TestApp['request']

/** A signed-in person. */
export interface TestPerson {
	token: string
	refreshToken: string
	userId: string
	email: string
	password: string
	workspaceId: string
}

export async function setUpOwner(core: TestCore, request: Request): Promise<TestPerson> {
	return signUp(request, '/auth/setup', { setup_token: await addSetupToken(core) })
}

export async function signUp(request: Request, path: string, extra: object): Promise<TestPerson> {
	const email = `${randomUUID()}@example.org`
	const password = `pass ${randomUUID()}`
	const { status, body, text } = await request('POST', path, { body: { email, password, ...extra } })
	if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`)
	const { token, refresh_token: refreshToken, user, workspaces } = body
	return { token, refreshToken, userId: user.id, email, password, workspaceId: workspaces[0].id }
}

async function signIn(request: Request, { email, password, workspaceId }: TestPerson): Promise<string> {
	const { token } = (await request('POST', '/auth/login', { body: { email, password } })).body
	const body = { workspace_id: workspaceId }
	return (await request('POST', '/auth/switch', { token, body })).body.token
}

/** Joins by invitation, as everybody does. */
export async function joinWorkspace(request: Request, owner: TestPerson, role: Role): Promise<TestPerson> {
	const { workspaceId } = owner
	const person = await signUp(request, '/auth/register', {})
	const path = `/v1/workspaces/${workspaceId}/invitations`
	const invite = (as: string) => request('POST', path, { token: as, body: { email: person.email, role } })
	const first = await invite(owner.token)
	// If a test has advanced the clock, the owner's token has expired.
	const invited = first.status === 401 ? await invite(await signIn(request, owner)) : first
	if (invited.status !== 201) throw new Error(`${path} answered ${invited.status}: ${invited.text}`)
	const token = new URL(invited.body.link).hash.slice('#token='.length)
	const joined = await request('POST', '/auth/invitations/accept', { token: person.token, body: { token } })
	return { ...person, token: joined.body.token, workspaceId }
}
