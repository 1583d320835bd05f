import { Field, Input, Select } from '../../ui/field.tsx'
import { LabelField, PatternField } from '../../ui/pattern-fields.tsx'
import type { HookDraft } from './hook-draft.ts'
import { actionTexts, failModeTexts, modeTexts } from './hook-texts.ts'
import type { Hook } from './queries.ts'

interface FieldsProps {
	draft: HookDraft
	set(change: Partial<HookDraft>): void
}

/** What a hook does, and whether it already does it. */
export function HookFields({ draft, set, isNew }: FieldsProps & { isNew: boolean }) {
	return (
		<>
			<div className="grid gap-4 sm:grid-cols-2">
				<Field label="Name">
					{(field) => (
						<Input
							{...field}
							required
							maxLength={100}
							value={draft.name}
							onChange={(event) => set({ name: event.target.value })}
						/>
					)}
				</Field>
				<Field label="What it does" hint={actionTexts[draft.action].text}>
					{(field) => (
						<Select
							{...field}
							disabled={!isNew}
							value={draft.action}
							onChange={(event) => set({ action: event.target.value as Hook['action'] })}
						>
							{Object.entries(actionTexts).map(([value, { label }]) => (
								<option key={value} value={value}>
									{label}
								</option>
							))}
						</Select>
					)}
				</Field>
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
			<Field label="Mode">
				{(field) => (
					<Select
						{...field}
						value={draft.mode}
						onChange={(event) => set({ mode: event.target.value as Hook['mode'] })}
					>
						{Object.entries(modeTexts).map(([value, label]) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<Field label="When it cannot tell" hint="A webhook without an answer, a body that is no readable JSON">
				{(field) => (
					<Select
						{...field}
						value={draft.fail_mode}
						onChange={(event) => set({ fail_mode: event.target.value as Hook['fail_mode'] })}
					>
						{Object.entries(failModeTexts).map(([value, label]) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
		</>
	)
}

function WebhookFields({ draft, set }: FieldsProps) {
	return (
		<>
			<Field label="Address" hint="Another origin gets a new signing secret, which is shown once">
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
