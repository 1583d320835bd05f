import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCounted } from '../../lib/format.ts'
import { showHidden } from '../../lib/show-hidden.ts'
import { cn } from '../../ui/cn.ts'
import { SearchInput } from '../../ui/field.tsx'
import { Badge } from '../../ui/status.tsx'
import { PinBadge } from './pin-state.tsx'
import type { PinnedTool } from './queries.ts'

interface ToolChoiceProps {
	/** Pending ones first. */
	tools: readonly PinnedTool[]
	/** Tokens of all tools that are not suspended; null until all are counted. */
	tokens: number | null
	chosen: string | undefined
}

/** Every tool of a server with what agents are shown of it, and its size in tokens. */
export function ToolChoice({ tools, tokens, chosen }: ToolChoiceProps) {
	const [wanted, setWanted] = useState('')
	const waiting = tools.filter(({ pending }) => pending).length
	const shown = tools.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
	return (
		<nav aria-label="Tools" className="rounded-xl border border-line bg-surface">
			<div className="grid gap-2 border-b border-line px-4 py-2.5">
				<p className="flex items-center justify-between gap-2">
					<span className="font-semibold">{formatCounted(tools.length, 'tool')}</span>
					{waiting > 0 && <Badge tone="warn">{waiting} waiting</Badge>}
				</p>
				{tools.length > 10 && (
					<SearchInput
						label="Find a tool"
						value={wanted}
						onChange={(event) => setWanted(event.target.value)}
					/>
				)}
			</div>
			<ul className="max-h-[60dvh] overflow-y-auto p-1.5">
				{shown.map((tool) => (
					<li key={tool.name}>
						<ToolLine tool={tool} isChosen={tool.name === chosen} />
					</li>
				))}
				{shown.length === 0 && <li className="px-2.5 py-3 text-ink-3">No tool matches.</li>}
			</ul>
			<p
				title="Tokens of name, description and arguments, counted with o200k_base"
				className="border-t border-line px-4 py-2 text-xs text-ink-2"
			>
				{tokens === null
					? 'Counting tokens…'
					: `${formatCounted(tokens, 'token')} in the context of a model, for all tools that are not suspended.`}
			</p>
		</nav>
	)
}

function ToolLine({ tool, isChosen }: { tool: PinnedTool; isChosen: boolean }) {
	const { name, state, pending, flags, definition_tokens: tokens, current_hash } = tool
	return (
		<Link
			from="/servers/$serverId/definitions"
			to="."
			search={{ tool: name }}
			aria-current={isChosen || undefined}
			className={cn(
				'grid gap-1 rounded-md px-2.5 py-2 -outline-offset-2 hover:bg-hover',
				isChosen && 'lg:bg-accent-soft',
			)}
		>
			<span className="font-mono text-[12.5px] font-medium break-all">{showHidden(name)}</span>
			<span className="flex flex-wrap items-center gap-1.5 text-xs text-ink-2">
				<PinBadge state={state} />
				{pending && <span className="font-medium text-warn">pending</span>}
				{flags.length > 0 && (
					<span className={flags.some(({ severity }) => severity === 'high') ? 'text-bad' : 'text-warn'}>
						{formatCounted(flags.length, 'flag')}
					</span>
				)}
				{current_hash === null && <span>gone</span>}
				{tokens !== null && <span className="ml-auto tabular-nums">{formatCounted(tokens, 'token')}</span>}
			</span>
		</Link>
	)
}
