import { operationGroups, roles, rolesGivenBy } from '@signalbox/contract'
import { expect, it } from 'vitest'
import type { UserPrincipal } from './principal.ts'
import { authorize } from './route.ts'

const person = (role: UserPrincipal['role']) =>
	({
		kind: 'user',
		userId: 'u',
		email: 'e',
		workspaceId: 'w',
		sessionId: 's',
		operator: false,
		role,
	}) as UserPrincipal
const all = Object.values(operationGroups).flatMap((group) => Object.values(group))
const passes = (role: UserPrincipal['role']) =>
	all.filter(({ access }) => !access.public && !authorize(access, person(role)))

it('lets an auditor change nothing in the workspace, only their own account', () => {
	const changing = passes('auditor').filter(({ method }) => method !== 'GET')
	expect(changing.map(({ id }) => id).sort()).toEqual([
		// These only query.
		'access-review.simulate',
		'alerts.preview',
		'auth.identities.unlink',
		'auth.logout',
		'auth.me.update',
		'auth.oauth.link',
		'auth.password.change',
		'auth.sessions.end',
		'auth.sessions.revoke',
		'auth.switch',
		'auth.verify.resend',
		// For leaving a workspace; the service refuses to remove anybody else.
		'members.remove',
		'toolsets.preview',
		'workspaces.create',
	])
})

it('lets an auditor read whatever an admin reads, except the log of a program and connected clients', () => {
	const reads = (role: UserPrincipal['role']) =>
		passes(role).flatMap(({ id, method }) => (method === 'GET' ? [id] : []))
	const missing = reads('admin').filter((id) => !reads('auditor').includes(id))
	expect(missing.sort()).toEqual(['authorizations.list', 'servers.logs', 'upstream-credentials.connections'])
})

it('lets a person assign only roles without rights beyond their own', () => {
	expect(Object.fromEntries(roles.map((role) => [role, rolesGivenBy(role)]))).toEqual({
		viewer: [],
		auditor: [],
		member: [],
		admin: ['viewer', 'auditor', 'member', 'admin'],
		owner: ['viewer', 'auditor', 'member', 'admin', 'owner'],
	})
})
