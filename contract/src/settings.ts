import { type TSchema, Type } from 'typebox'
import { operators } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const settingSources = ['default', 'environment', 'stored'] as const
const source = OneOf(settingSources, {
	description: '`environment`: set by an environment variable, read-only here',
})

export const signupModes = ['open', 'invite', 'closed'] as const

const values = {
	signup: OneOf(signupModes, {
		description:
			'Who may register: everybody, invited people, or nobody. Default: open on loopback, otherwise by invitation',
	}),
	loopback_targets: Type.Boolean({
		description: 'Whether upstreams may be on this machine. Default: only while the instance is not exposed',
	}),
	private_networks: Type.Array(Type.String({ maxLength: 50 }), {
		maxItems: 100,
		description: 'Private networks (CIDR) that upstreams may be in',
	}),
	stdio_programs: Type.Boolean({
		description:
			'Whether stdio programs may be registered at all. Default: only while the instance is not exposed',
	}),
	stdio_programs_default: Type.Boolean({
		description: 'Whether a new workspace gets the right to stdio programs',
	}),
}

const shown = <T extends TSchema>(value: T) => Strict({ value, source })
const given = <T extends TSchema>(value: T) =>
	Type.Optional(Strict({ value: Nullable(value), source: Type.Optional(source) }))

export const Settings = Strict(
	{
		signup: shown(values.signup),
		loopback_targets: shown(values.loopback_targets),
		private_networks: shown(values.private_networks),
		stdio_programs: shown(values.stdio_programs),
		stdio_programs_default: shown(values.stdio_programs_default),
	},
	{ title: 'Settings' },
)

const Rights = Strict(
	{ stdio: Type.Boolean({ description: 'May register programs that the instance starts (stdio servers)' }) },
	{ title: 'WorkspaceRights' },
)

export const InstanceWorkspace = Strict(
	{ id: Id, name: Type.String(), created_at: Time, member_count: Type.Integer(), rights: Rights },
	{ title: 'InstanceWorkspace' },
)

export const settingOperations = {
	get: operation({
		id: 'settings.get',
		method: 'GET',
		path: '/v1/settings',
		summary: 'Get the settings of the instance with the source of each value',
		access: operators(),
		status: 200,
		response: Settings,
	}),
	update: operation({
		id: 'settings.update',
		method: 'PATCH',
		path: '/v1/settings',
		summary: 'Change settings of the instance; effective at once',
		description:
			'A value of null restores the default. A setting that the environment fixes answers 409 with the name of the variable. The answer of GET can be sent back.',
		access: operators(),
		body: Strict(
			{
				signup: given(values.signup),
				loopback_targets: given(values.loopback_targets),
				private_networks: given(values.private_networks),
				stdio_programs: given(values.stdio_programs),
				stdio_programs_default: given(values.stdio_programs_default),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: Settings,
		problems: ['set_by_environment'],
	}),
}

export const instanceOperations = {
	workspaces: operation({
		id: 'instance.workspaces',
		method: 'GET',
		path: '/v1/instance/workspaces',
		summary: 'List every workspace of the instance with its rights',
		access: operators(),
		query: Strict({
			...pageQuery,
			q: Type.Optional(Type.String({ maxLength: 100, description: 'Workspaces whose name contains this' })),
		}),
		status: 200,
		response: Strict(
			{ workspaces: Type.Array(InstanceWorkspace), pagination: Pagination },
			{ title: 'InstanceWorkspaceList' },
		),
	}),
	rights: operation({
		id: 'instance.rights',
		method: 'PATCH',
		path: '/v1/workspaces/{id}/rights',
		summary: 'Give or take away a right of a workspace',
		access: operators(),
		params: IdParams,
		body: Rights,
		status: 200,
		response: InstanceWorkspace,
	}),
	operators: operation({
		id: 'instance.operators',
		method: 'GET',
		path: '/v1/operators',
		summary: 'List the operators of the instance',
		description:
			'People become operators through the setup link, the environment or `signalbox admin grant-operator`.',
		access: operators(),
		query: Strict(pageQuery),
		status: 200,
		response: Strict(
			{
				operators: Type.Array(
					Strict({ id: Id, email: Type.String(), name: Type.String() }, { title: 'Operator' }),
				),
				pagination: Pagination,
			},
			{ title: 'OperatorList' },
		),
	}),
}
