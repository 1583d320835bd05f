import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { choiceOf, describeChange, isSameChoice, nothing, withMode, withTool } from './grant-choice.ts'
import { PartsFields } from './parts-fields.tsx'
import type { GrantChoice } from './queries.ts'
import { type OfferedTool, ToolChecklist } from './tool-checklist.tsx'

const modes = [
	{ value: 'all', label: 'All tools' },
	{ value: 'selected', label: 'Selected tools' },
] as const

interface GrantEditorProps {
	/** Null: nothing is granted yet. */
	granted: GrantChoice | null
	tools: readonly OfferedTool[]
	action: string
	busy: boolean
	disabled?: boolean
	onSave(choice: GrantChoice): void
}

/** All of a server, or a choice of its tools, prompts and resources; nothing changes until it is saved, and the button says what will. */
export function GrantEditor({ granted, tools, action, busy, disabled, onSave }: GrantEditorProps) {
	const group = useId()
	const [draft, setDraft] = useState<GrantChoice | null>(null)
	const choice = draft ?? (granted ? choiceOf(granted) : nothing)
	const isChanged = granted === null || !isSameChoice(choice, granted)
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
					<span className="text-ink-3">
						Also tools that the server adds later, and all prompts and resources.
					</span>
				)}
			</div>
			<ToolChecklist
				tools={tools}
				isChecked={(name) => choice.access_mode === 'all' || (choice.allowed_tools ?? []).includes(name)}
				disabled={disabled || choice.access_mode === 'all'}
				onChange={(name, on) => setDraft(withTool(choice, name, on))}
			/>
			{choice.access_mode === 'selected' && (
				<PartsFields choice={choice} disabled={disabled ?? false} onChange={setDraft} />
			)}
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
