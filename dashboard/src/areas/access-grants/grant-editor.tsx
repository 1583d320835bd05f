import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckLine, Segmented } from '../../ui/controls.tsx'
import { SearchInput } from '../../ui/field.tsx'
import { describeChange, isSameChoice, withMode, withTool } from './grant-choice.ts'
import type { GrantChoice } from './queries.ts'

const modes = [
	{ value: 'all', label: 'All tools' },
	{ value: 'selected', label: 'Selected tools' },
] as const

export interface OfferedTool {
	name: string
	description?: string | undefined
	/** Shown at the end of the line: the verdict as it is now. */
	note?: ReactNode
}

interface GrantEditorProps {
	/** Null: nothing is granted yet. */
	granted: GrantChoice | null
	tools: readonly OfferedTool[]
	action: string
	busy: boolean
	disabled?: boolean
	onSave(choice: GrantChoice): void
}

const nothing: GrantChoice = { access_mode: 'selected', allowed_tools: [] }

/** All tools of a server, or a choice of them; nothing changes until it is saved, and the button says what will. */
export function GrantEditor({ granted, tools, action, busy, disabled, onSave }: GrantEditorProps) {
	const group = useId()
	const [draft, setDraft] = useState<GrantChoice | null>(null)
	const [wanted, setWanted] = useState('')
	const choice = draft ?? granted ?? nothing
	const isChanged = granted === null || !isSameChoice(choice, granted)
	const shown = tools.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
	const save = () => {
		onSave(choice)
		setDraft(null)
	}
	return (
		<div className="grid gap-3">
			<div className="flex flex-wrap items-center gap-3">
				<Segmented
					label="Which tools"
					name={group}
					value={choice.access_mode}
					options={modes}
					disabled={disabled ?? false}
					onChange={(mode) => setDraft(withMode(choice, mode))}
				/>
				{choice.access_mode === 'all' && (
					<span className="text-ink-3">Also tools that the server adds later.</span>
				)}
				{choice.access_mode === 'selected' && tools.length > 10 && (
					<SearchInput
						label="Find a tool"
						value={wanted}
						onChange={(event) => setWanted(event.target.value)}
					/>
				)}
			</div>
			<ul aria-label="Tools" className="max-h-80 overflow-y-auto rounded-lg border border-line p-1.5">
				{shown.map((tool) => (
					<li key={tool.name}>
						<CheckLine
							label={tool.name}
							checked={choice.access_mode === 'all' || (choice.allowed_tools ?? []).includes(tool.name)}
							disabled={disabled || choice.access_mode === 'all'}
							onChange={(on) => setDraft(withTool(choice, tool.name, on))}
						>
							<span className="flex items-start justify-between gap-3">
								<span className="min-w-0">
									<span className="font-mono text-[12.5px] break-all">{tool.name}</span>
									{tool.description && (
										<span className="line-clamp-1 text-xs text-ink-3">{tool.description}</span>
									)}
								</span>
								{tool.note}
							</span>
						</CheckLine>
					</li>
				))}
				{shown.length === 0 && (
					<li className="px-2 py-3 text-ink-3">
						{wanted ? 'No tool matches.' : 'The server has told no tools yet.'}
					</li>
				)}
			</ul>
			{isChanged && (
				<div className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 bg-surface pt-1">
					{granted && draft && (
						<>
							<span className="mr-auto text-ink-2">Not saved: {describeChange(granted, draft)}</span>
							<Button onClick={() => setDraft(null)}>Undo</Button>
						</>
					)}
					<Button variant="primary" busy={busy} disabled={disabled ?? false} onClick={save}>
						{action}
					</Button>
				</div>
			)}
		</div>
	)
}
