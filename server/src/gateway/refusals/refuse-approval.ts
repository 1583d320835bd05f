import type { RefusalCode } from '@signalbox/contract'
import type { Standing } from '../../access/approvals/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { RefusalLinks } from './links.ts'
import { type RefusalNames, refusalText } from './refusal-text.ts'

type Refused = Exclude<Standing, { kind: 'run' }>

const codes: Readonly<Record<Refused['kind'], RefusalCode>> = {
	pending: 'approval_pending',
	denied: 'approval_denied',
	used: 'approval_used',
	expired: 'approval_expired',
	revoked: 'approval_revoked',
	full: 'approval_queue_full',
	too_large: 'approval_too_large',
}
/** When it makes sense to come again, for what a person decides. */
const pendingRetryMs = 5000

/** What a call that does not run reads about its approval: the same for every client that stands the same. */
export function refuseApproval(
	workspaceId: string,
	standing: Refused,
	names: RefusalNames,
	links: RefusalLinks,
	nowMs: number,
): RpcFailure {
	const code = codes[standing.kind]
	const retryMs = retryAfter(standing, nowMs)
	const link = standing.kind === 'pending' ? links.approval(workspaceId, standing.approvalId) : null
	const detail = standing.kind === 'denied' ? (standing.reason ?? 'no reason was given') : null
	const seconds = String(Math.ceil((retryMs ?? 0) / 1000))
	return namedFailure(rpcCodes.accessDenied, code, refusalText(code, { ...names, detail, seconds }, link), {
		status: 'denied',
		facts: {
			...{ tool: names.tool, agent: names.agent, server: names.server, reason: code },
			...('approvalId' in standing && { approval_id: standing.approvalId }),
			...(link !== null && { approval_url: link }),
			...(retryMs !== null && { retry_after_ms: retryMs }),
		},
	})
}

function retryAfter(standing: Refused, nowMs: number): number | null {
	if (standing.kind === 'pending' || standing.kind === 'full') return pendingRetryMs
	return standing.kind === 'used' ? Math.max(0, standing.againAtMs - nowMs) : null
}
