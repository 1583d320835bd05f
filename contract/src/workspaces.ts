import { Type } from 'typebox'
import { people, roles } from './access.ts'
import { WorkspaceSlug } from './auth.ts'
import { Id, IdParams, Name, OneOf, optional, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const readOnlyFields = {
	id: Id,
	slug: WorkspaceSlug,
	role: OneOf(roles, { description: 'Your role' }),
	created_at: Time,
	updated_at: Time,
}

export const Workspace = Strict({ ...readOnlyFields, name: Type.String() }, { title: 'Workspace' })

const memberFields = {
	user_id: Id,
	email: Type.String(),
	name: Type.String(),
	verified: Type.Boolean({ description: 'Whether the person has proved that the mailbox is theirs' }),
	joined_at: Time,
}
export const Member = Strict({ ...memberFields, role: OneOf(roles) }, { title: 'Member' })

const memberParams = Strict({ id: Id, userId: Id })

export const workspaceOperations = {
	list: operation({
		id: 'workspaces.list',
		method: 'GET',
		path: '/v1/workspaces',
		summary: 'List the workspaces that you are a member of',
		access: people(),
		query: Strict({ ...pageQuery, sort: OneOf(['name', 'created_at'], { default: 'created_at' }) }),
		status: 200,
		response: Strict(
			{ workspaces: Type.Array(Workspace), pagination: Pagination },
			{ title: 'WorkspaceList' },
		),
	}),
	create: operation({
		id: 'workspaces.create',
		method: 'POST',
		path: '/v1/workspaces',
		summary: 'Create a workspace; you become its owner',
		description:
			'Where sign-up is not open (see `GET /v1/settings`), only operators create workspaces. `POST /auth/switch` gives a token for the new one.',
		access: people(),
		body: Strict({ name: Name }),
		status: 201,
		response: Workspace,
	}),
	get: operation({
		id: 'workspaces.get',
		method: 'GET',
		path: '/v1/workspaces/{id}',
		summary: 'Get the workspace of this credential',
		description: 'Any other id answers 404, even that of another workspace of yours; switch to it first.',
		access: people(),
		params: IdParams,
		status: 200,
		response: Workspace,
	}),
	update: operation({
		id: 'workspaces.update',
		method: 'PATCH',
		path: '/v1/workspaces/{id}',
		summary: 'Rename a workspace',
		description: 'Unchanged read-only fields are accepted.',
		access: people('workspace:write'),
		params: IdParams,
		body: Strict({ ...optional(readOnlyFields), name: Type.Optional(Name) }, { minProperties: 1 }),
		status: 200,
		response: Workspace,
	}),
	delete: operation({
		id: 'workspaces.delete',
		method: 'DELETE',
		path: '/v1/workspaces/{id}',
		summary: 'Delete a workspace with everything in it',
		description:
			'Its keys, members, servers, agents and grants end at once, including running streams. Its telemetry can no longer be reached and expires by its retention; its audit chain is kept. The last workspace of an instance cannot be deleted.',
		access: people('workspace:delete'),
		params: IdParams,
		query: Strict({ confirm: Type.String({ description: 'The name of the workspace, as confirmation' }) }),
		status: 204,
		response: null,
		problems: ['last_workspace'],
	}),
}

export const memberOperations = {
	list: operation({
		id: 'members.list',
		method: 'GET',
		path: '/v1/workspaces/{id}/members',
		summary: 'List the members of the workspace',
		access: people(),
		params: IdParams,
		query: Strict({
			...pageQuery,
			q: Type.Optional(
				Type.String({ maxLength: 100, description: 'Members whose name or e-mail address contains this' }),
			),
			role: Type.Optional(OneOf(roles)),
			sort: OneOf(['email', 'joined_at'], { default: 'joined_at' }),
		}),
		status: 200,
		response: Strict({ members: Type.Array(Member), pagination: Pagination }, { title: 'MemberList' }),
	}),
	update: operation({
		id: 'members.update',
		method: 'PATCH',
		path: '/v1/workspaces/{id}/members/{userId}',
		summary: 'Change the role of a member',
		description:
			'Admins can assign roles up to admin; only owners can add or remove owners. The last owner cannot be removed. The change takes effect at once: running streams of the person are cut. Unchanged read-only fields are accepted.',
		access: people('members:write'),
		params: memberParams,
		body: Strict({ ...optional(memberFields), role: OneOf(roles) }),
		status: 200,
		response: Member,
		problems: ['last_owner'],
	}),
	remove: operation({
		id: 'members.remove',
		method: 'DELETE',
		path: '/v1/workspaces/{id}/members/{userId}',
		summary: 'Remove a member, or leave the workspace yourself',
		description:
			'Everybody may leave, except the last owner. Removing others needs the role admin, removing owners the role owner. Keys that the person created belong to the workspace and stay.',
		access: people(),
		params: memberParams,
		status: 204,
		response: null,
		problems: ['last_owner'],
	}),
}
