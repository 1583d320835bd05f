import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api.ts'
import { serverNowMs } from '../../lib/clock.ts'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Switch } from '../../ui/controls.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { useKeptDraft } from '../../ui/kept-draft.ts'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import type { ToolLimits } from '../call-limits/call-limits.ts'
import { ToolLimitsEditor } from '../call-limits/tool-limits-editor.tsx'
import { describeGrant } from './grant-choice.ts'
import { draftName, GrantEditor } from './grant-editor.tsx'
import { describeLimits, type GrantLimits } from './grant-limits.ts'
import { GrantSource } from './grant-source.tsx'
import { LimitsEditor } from './limits-editor.tsx'
import { type GrantChoice, useGrant } from './queries.ts'
import type { OfferedTool } from './tool-checklist.tsx'

interface GrantCardProps {
	serverId: string
	agentId: string
	/** The other side of the grant: the server on an agent's screen, or the agent on a server's. */
	name: string
	/** Agent and server in words, for confirmations. */
	described: string
	heading: ReactNode
	beside?: ReactNode
	grant: GrantChoice &
		GrantLimits & {
			id: string
			enabled: boolean
			source: Schemas['GrantSource']
			call_limits: ToolLimits
			warnings?: readonly string[]
		}
	tools: readonly OfferedTool[]
	disabled: boolean
	startOpen?: boolean
}

/** One grant, which can be turned on or off, changed or removed. */
export function GrantCard({
	serverId,
	agentId,
	name,
	described,
	heading,
	beside,
	grant,
	tools,
	disabled: isForbidden,
	startOpen,
}: GrantCardProps) {
	const isDerived = grant.source.kind === 'toolset'
	const disabled = isForbidden || isDerived
	const { update, remove } = useGrant(serverId, agentId, grant)
	const [isRemoving, setIsRemoving] = useState(false)
	const [isOpen, setIsOpen] = useState(startOpen ?? false)
	const [draft] = useKeptDraft(draftName(grant.id))
	return (
		<section aria-label={`Access: ${name}`} className="rounded-xl border border-line bg-surface">
			<div className="flex min-h-12 items-center gap-2 pr-3">
				<DisclosureButton isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} name={name}>
					{beside}
					{draft !== null && <Badge tone="accent">not saved</Badge>}
					<span className="text-right text-ink-2">
						{isDerived && 'by toolset: '}
						{grant.enabled
							? [describeGrant(grant), ...describeLimits(grant, serverNowMs())].join(', ')
							: 'switched off'}
					</span>
				</DisclosureButton>
				<Link
					to="/audit"
					search={{ target: grant.id }}
					className="inline-flex min-h-6 items-center text-xs text-accent hover:underline"
				>
					History<span className="sr-only"> of access: {name}</span>
				</Link>
				{!isDerived && (
					<>
						<Switch
							label={`Access to ${name} is on`}
							checked={grant.enabled}
							disabled={disabled}
							onChange={(enabled) => update.mutate({ enabled })}
						/>
						<IconButton
							icon="trash"
							label={`Remove access: ${name}`}
							disabled={disabled}
							onClick={() => setIsRemoving(true)}
						/>
					</>
				)}
			</div>
			{isOpen && (
				<div className="border-t border-line p-4">
					{heading && <div className="mb-3">{heading}</div>}
					{isDerived && (
						<p className="mb-3 text-ink-2">
							This grant is derived from the <GrantSource source={grant.source} />, and changes with it.
						</p>
					)}
					{grant.warnings && grant.warnings.length > 0 && (
						<Notice tone="warn" className="mb-3">
							{grant.warnings.join(' ')}
						</Notice>
					)}
					<GrantEditor
						name={grant.id}
						granted={grant}
						tools={tools}
						action="Save changes"
						busy={update.isPending}
						disabled={disabled}
						onSave={update.mutateAsync}
					/>
					{!isDerived && (
						<LimitsEditor
							name={grant.id}
							limits={grant}
							tools={grant.allowed_tools ?? tools.map((tool) => tool.name)}
							action="Save limits"
							busy={update.isPending}
							disabled={disabled}
							onSave={update.mutateAsync}
						/>
					)}
					{!isDerived && (
						<section aria-label="Call limits" className="mt-5 grid gap-3 border-t border-line pt-4">
							<h2 className="font-semibold">Call limits</h2>
							<ToolLimitsEditor
								name={grant.id}
								limits={grant.call_limits}
								tools={grant.allowed_tools ?? tools.map((tool) => tool.name)}
								busy={update.isPending}
								error={null}
								disabled={disabled}
								onSave={(call_limits) => update.mutateAsync({ call_limits })}
							/>
						</section>
					)}
				</div>
			)}
			{update.error && (
				<div className="px-4 pb-3">
					<InlineError error={update.error} />
				</div>
			)}
			<Confirm
				open={isRemoving}
				onClose={() => setIsRemoving(false)}
				title={`Remove ${described}?`}
				text="Access ends within a second, including running calls. You can grant it again."
				action="Remove access"
				run={() => remove.mutateAsync()}
			/>
		</section>
	)
}
