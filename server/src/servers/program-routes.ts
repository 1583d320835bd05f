import { programOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import { type BoundOperation, bind } from '../platform/http/index.ts'
import { acceptProgram, withdrawAcceptance } from './accept-program.ts'
import { callerOf, type ServerContext } from './context.ts'
import { requestInstall } from './install-program.ts'
import { hostedOrNotFound, presentProgram } from './present-program.ts'
import { restartProgram } from './restart-program.ts'
import { changeProgram } from './update-program.ts'

export function programRoutes(servers: ServerContext): BoundOperation[] {
	const { db } = servers.store
	return bind(programOperations, {
		get: async ({ params, context }) =>
			presentProgram(servers, await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)),
		update: ({ params, body, context }) => changeProgram(servers, callerOf(context), params.id, body),
		logs: async ({ params, query, context }) => {
			const { id } = await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)
			const lines = servers.programs.logsOf(id, query.limit)
			return { lines: lines.map(({ atMs, stream, text }) => ({ at: toIso(atMs), stream, text })) }
		},
		accept: ({ params, body, context }) =>
			acceptProgram(servers, callerOf(context), params.id, body.sentence),
		withdraw: async ({ params, context }) =>
			void (await withdrawAcceptance(servers, callerOf(context), params.id)),
		restart: ({ params, context }) => restartProgram(servers, callerOf(context), params.id),
		install: ({ params, context }) => requestInstall(servers, callerOf(context), params.id),
	})
}
