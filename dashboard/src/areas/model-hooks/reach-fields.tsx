import { CheckLine } from '../../ui/controls.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { type HookDraft, stagesOf } from './hook-draft.ts'
import { stageTexts } from './hook-texts.ts'
import type { Hook } from './queries.ts'

interface ReachFieldsProps {
	draft: HookDraft
	set(change: Partial<HookDraft>): void
}

type Stage = Hook['stages'][number]

const stages = Object.keys(stageTexts) as Stage[]
const lists = [
	['models', 'Models', 'gpt-*, claude-*'],
	['connections', 'Connections', 'all'],
	['agents', 'Agents', 'all'],
] as const

/** The calls to which a hook applies, and the parts of them that it checks. */
export function ReachFields({ draft, set }: ReachFieldsProps) {
	const chosen = stagesOf(draft.action, draft.stages)
	const choose = (stage: Stage, isOn: boolean) =>
		set({ stages: stages.filter((one) => (one === stage ? isOn : chosen.includes(one))) })
	return (
		<>
			<fieldset>
				<legend className="mb-1 font-medium">Applies to</legend>
				<div className="grid grid-cols-1 rounded-lg border border-line p-1.5 sm:grid-cols-3">
					{stages.map((stage) => (
						<CheckLine
							key={stage}
							label={stageTexts[stage]}
							disabled={draft.action === 'redact' && stage === 'stream'}
							checked={chosen.includes(stage)}
							onChange={(isOn) => choose(stage, isOn)}
						>
							{stageTexts[stage]}
						</CheckLine>
					))}
				</div>
			</fieldset>
			<div className="grid gap-4 sm:grid-cols-3">
				{lists.map(([name, label, placeholder]) => (
					<Field key={name} label={label} optional hint="Comma-separated; * matches any characters">
						{(field) => (
							<Input
								{...field}
								spellCheck={false}
								placeholder={placeholder}
								value={draft[name]}
								onChange={(event) => set({ [name]: event.target.value })}
								className="font-mono text-xs"
							/>
						)}
					</Field>
				))}
			</div>
		</>
	)
}
