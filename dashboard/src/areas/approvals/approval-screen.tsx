import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { showHidden } from '../../lib/show-hidden.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { ApprovalStatusBadge } from './approval-status.tsx'
import { ApproverHint } from './approver-hint.tsx'
import { AgentLink, ServerLink, ToolName } from './call-names.tsx'
import { ApproveOrDeny, type Decision } from './decision-form.tsx'
import { describeAsker } from './describe-asker.ts'
import { describeOutcome } from './describe-outcome.ts'
import { type Approval, approvalQuery } from './queries.ts'
import { RevokeButton } from './revoke-button.tsx'

const route = getRouteApi('/_app/approvals/$approvalId')

const above = (
	<Link to="/approvals" className="hover:underline">
		Approvals
	</Link>
)

/** Should this call run? Links in refusals open this screen. */
export function ApprovalScreen() {
	const { approvalId } = route.useParams()
	if (useCan('approvals:read')) return <LoadingApproval id={approvalId} />
	return (
		<Page title="Approval" above={above}>
			<ApproverHint what="decide about this call" path={`/approvals/${approvalId}`} />
		</Page>
	)
}

function LoadingApproval({ id }: { id: string }) {
	const { data: approval, error, refetch } = useQuery(approvalQuery(id))
	if (approval) return <LoadedApproval key={id} approval={approval} />
	return (
		<Page title="Approval" above={above}>
			{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
		</Page>
	)
}

function LoadedApproval({ approval }: { approval: Approval }) {
	const [asked, setAsked] = useState<Decision | null>(null)
	const { agent, server, tool, asked_by, status, requested_at, expires_at, approver } = approval
	const isWaiting = status === 'pending'
	const canDecide = useCan('approvals:decide') && isWaiting
	useKeys(canDecide ? { a: () => setAsked('approve'), d: () => setAsked('deny') } : {})
	return (
		<Page
			title={showHidden(tool)}
			above={above}
			beside={<ApprovalStatusBadge status={status} />}
			description={`${agent.name} ${isWaiting ? 'wants' : 'wanted'} to call this tool of ${server.name}.`}
		>
			<div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_320px]">
				<div className="grid min-w-0 gap-4">
					<Panel title="Arguments as sent">
						<JsonView value={approval.arguments} label={`Arguments of ${tool}`} />
						<p className="mt-2 text-xs text-ink-3">What looks like a secret is [redacted].</p>
					</Panel>
					<Panel title="Decision">
						{canDecide ? (
							<ApproveOrDeny approval={approval} asked={asked} onAsk={setAsked} />
						) : (
							<Outcome approval={approval} />
						)}
					</Panel>
				</div>
				<Panel title="The call">
					<Facts
						facts={[
							['Agent', <AgentLink key="agent" agent={agent} />],
							['Server', <ServerLink key="server" server={server} />],
							['Tool', <ToolName key="tool" tool={tool} />],
							...(asked_by ? ([['Requested by', describeAsker(asked_by)]] as const) : []),
							['Requested', <Ago key="requested" at={requested_at} />],
							...(isWaiting ? ([['Expires', <Until key="end" at={expires_at} />]] as const) : []),
							[
								'Approver',
								approver === 'caller'
									? 'Admins, and the person who uses the agent'
									: 'Admins of the workspace',
							],
						]}
					/>
				</Panel>
			</div>
		</Page>
	)
}

function Outcome({ approval }: { approval: Approval }) {
	const isGood = approval.status === 'approved' || approval.status === 'used'
	return (
		<div className="grid gap-3">
			<Notice tone={isGood ? 'ok' : 'idle'}>{describeOutcome(approval)}</Notice>
			{useCan('approvals:decide') && approval.status === 'approved' && (
				<div>
					<RevokeButton approval={approval} />
				</div>
			)}
		</div>
	)
}
