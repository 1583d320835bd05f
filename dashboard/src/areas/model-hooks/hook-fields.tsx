import { ChoiceField } from '../../ui/choice-field.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { LabelField, PatternField } from '../../ui/pattern-fields.tsx'
import type { HookDraft } from './hook-draft.ts'
import { actionLabels, actionTexts, failModeTexts, modeTexts } from './hook-texts.ts'

interface FieldsProps {
	draft: HookDraft
	set(change: Partial<HookDraft>): void
}

/** The action of a hook, and whether it is active. */
export function HookFields({ draft, set, isNew }: FieldsProps & { isNew: boolean }) {
	return (
		<>
			<div className="grid gap-4 sm:grid-cols-2">
				<NameField value={draft.name} onChange={(name) => set({ name })} />
				<ChoiceField
					label="Action"
					hint={actionTexts[draft.action].text}
					disabled={!isNew}
					value={draft.action}
					choices={actionLabels}
					onChange={(action) => set({ action })}
				/>
			</div>
			{draft.action === 'webhook' ? (
				<WebhookFields draft={draft} set={set} />
			) : (
				<div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
					<PatternField value={draft.pattern} onChange={(pattern) => set({ pattern })} />
					{draft.action === 'redact' && (
						<LabelField value={draft.label} onChange={(label) => set({ label })} />
					)}
				</div>
			)}
			<ChoiceField label="Mode" value={draft.mode} choices={modeTexts} onChange={(mode) => set({ mode })} />
			<ChoiceField
				label="On failure"
				hint="If the webhook does not answer, or a body is not valid JSON"
				value={draft.fail_mode}
				choices={failModeTexts}
				onChange={(fail_mode) => set({ fail_mode })}
			/>
		</>
	)
}

function WebhookFields({ draft, set }: FieldsProps) {
	return (
		<>
			<Field label="Address" hint="Changing the host creates a new signing secret, which is shown once">
				{(field) => (
					<Input
						{...field}
						required
						type="url"
						maxLength={2048}
						placeholder="https://example.org/hooks/prompts"
						value={draft.url}
						onChange={(event) => set({ url: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<div className="grid gap-4 sm:grid-cols-2">
				<Field label="Answers within" hint="Milliseconds, 50 to 30,000">
					{(field) => (
						<Input
							{...field}
							required
							type="number"
							min={50}
							max={30_000}
							value={draft.timeoutMs}
							onChange={(event) => set({ timeoutMs: event.target.value })}
						/>
					)}
				</Field>
				<LabelField value={draft.label} onChange={(label) => set({ label })} />
			</div>
		</>
	)
}
