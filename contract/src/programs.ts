import { Type } from 'typebox'
import { byScope } from './access.ts'
import { IdParams, Nullable, OneOf, optional, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const AllowedHosts = Type.Array(
	Type.String({ pattern: '^(\\*\\.)?[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?$', maxLength: 260 }),
	{
		maxItems: 100,
		description:
			'Hosts that the program may reach from its sandbox: `api.example.com`, `*.example.com`; ports 80 and 443 unless `:port` names another. None by default',
	},
)

const Acceptance = Strict(
	{ by: Type.String(), at: Time },
	{
		title: 'ProgramAcceptance',
		description:
			'Who accepted the program in its current form; without acceptance it does not start. `accepted_without_sandbox`: an owner also accepted running it without a sandbox',
	},
)

const observed = {
	state: OneOf(['stopped', 'running', 'waiting'], {
		description: '`stopped`: starts with the next request. `waiting`: paused because it kept exiting',
	}),
	processes: Type.Array(
		Strict({
			pid: Nullable(Type.Integer()),
			started_at: Time,
			sessions: Type.Integer(),
			shared: Type.Boolean({
				description: 'Whether clients that cannot answer requests of the server share it',
			}),
		}),
	),
	starts: Type.Integer({ description: 'Number of starts since the instance started' }),
	failures: Type.Integer({ description: 'Unexpected exits in a row' }),
	last_end: Nullable(Type.String()),
	next_start_at: Nullable(Time),
	sandbox: OneOf(['bubblewrap', 'none']),
	sandbox_missing: Nullable(Type.String({ description: 'Why there is no sandbox on this machine' })),
	package: Nullable(
		Strict(
			{ name: Type.String(), version: Type.String(), integrity: Type.String() },
			{ title: 'ProgramPackage' },
		),
	),
	install_error: Nullable(Type.String({ description: 'Why the package could not be installed' })),
	limits: Strict(
		{
			memory_bytes: Type.Integer({ description: 'Memory of the program and its child processes' }),
			processes: Type.Integer({ description: 'Number of processes and threads' }),
			idle_ms: Type.Integer({ description: 'Idle time after which it is stopped' }),
		},
		{ title: 'ProgramLimits' },
	),
	fingerprint: Type.String({
		description:
			'Hash of everything that is accepted: command, arguments, environment with values, folders, package with version and dependencies',
	}),
	acceptance_sentence: Type.String({
		description:
			'The sentence to send to accept the program in its current form: in its sandbox, or without one where there is none',
	}),
	accepted: Nullable(Acceptance),
	accepted_without_sandbox: Nullable(Acceptance),
}

const Program = Strict({ ...observed, allowed_hosts: AllowedHosts }, { title: 'Program' })

/** The programs of hosted (stdio) servers. */
export const programOperations = {
	get: operation({
		id: 'servers.program',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/program',
		summary: 'Get the program of a hosted server: state, sandbox and package',
		access: byScope('servers:read'),
		params: IdParams,
		status: 200,
		response: Program,
		observed: ['state', 'processes', 'starts', 'failures', 'last_end', 'next_start_at'],
	}),
	update: operation({
		id: 'servers.update-program',
		method: 'PATCH',
		path: '/v1/mcp/servers/{id}/program',
		summary: 'Set which hosts the program may reach; it is restarted',
		access: byScope('programs:write'),
		params: IdParams,
		body: Strict({ ...optional(observed), allowed_hosts: Type.Optional(AllowedHosts) }, { minProperties: 1 }),
		status: 200,
		response: Program,
		problems: ['stdio_not_allowed'],
	}),
	logs: operation({
		id: 'servers.logs',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/logs',
		summary: 'Get the last lines that the program wrote, oldest first, without values of its environment',
		access: byScope('servers:read', 'programs:write'),
		params: IdParams,
		query: Strict({ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200 }) }),
		status: 200,
		response: Strict(
			{
				lines: Type.Array(
					Strict({
						at: Time,
						stream: OneOf(['stderr', 'stdout', 'signalbox'], {
							description:
								'`stdout`: output that is not an MCP message. `signalbox`: actions of Signalbox on the program',
						}),
						text: Type.String(),
					}),
				),
			},
			{ title: 'ProgramLogs' },
		),
	}),
	accept: operation({
		id: 'servers.accept-without-sandbox',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/program/acceptance',
		summary: 'Accept the program in its current form, so that it may start',
		description:
			'`sentence` must equal the `acceptance_sentence` of the program. Acceptance is bound to the `fingerprint`: it ends when the command, an argument, a variable, a folder or the package changes. Without a sandbox, only a signed-in owner can accept.',
		access: byScope('programs:write'),
		params: IdParams,
		body: Strict({ sentence: Type.String({ maxLength: 1000 }) }),
		status: 200,
		response: Program,
		problems: ['stdio_not_allowed', 'conflict'],
	}),
	withdraw: operation({
		id: 'servers.withdraw-acceptance',
		method: 'DELETE',
		path: '/v1/mcp/servers/{id}/program/acceptance',
		summary: 'Withdraw the acceptance; the program is stopped',
		access: byScope('programs:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
	restart: operation({
		id: 'servers.restart-program',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/program/restart',
		summary: 'Stop the program; it starts with the next request, without waiting after failures',
		access: byScope('programs:write'),
		params: IdParams,
		status: 202,
		response: Program,
		problems: ['stdio_not_allowed', 'conflict'],
	}),
	install: operation({
		id: 'servers.install-program',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/program/install',
		summary: 'Download the package of an `npx` command again, in the newest version that the command allows',
		access: byScope('programs:write'),
		params: IdParams,
		status: 202,
		response: Program,
		problems: ['stdio_not_allowed'],
	}),
}
