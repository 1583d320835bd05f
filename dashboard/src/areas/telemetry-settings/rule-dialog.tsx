import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { LabelField, PatternField } from '../../ui/pattern-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { type RedactionRule, type RuleInput, refreshRules } from './queries.ts'
import {
	blankRule,
	type RedactionTarget,
	type RuleDraft,
	ruleDraftOf,
	ruleInputOf,
	targetTexts,
} from './rule-draft.ts'
import { TokenField } from './token-field.tsx'
import { TryBox } from './try-box.tsx'

interface RuleDialogProps {
	/** Null for a new one. */
	rule: RedactionRule | null
	canChange: boolean
	onClose(): void
}

/** Creates or changes a rule, and tests it. */
export function RuleDialog({ rule, canChange, onClose }: RuleDialogProps) {
	return (
		<Dialog
			open
			onClose={onClose}
			wide
			title={rule ? `Change ${rule.name}` : 'Create a redaction rule'}
			description="Applies to new data within a second. Stored data is unchanged."
		>
			<RuleForm rule={rule} canChange={canChange} onClose={onClose} />
		</Dialog>
	)
}

function RuleForm({ rule, canChange, onClose }: RuleDialogProps) {
	const queries = useQueryClient()
	const stored = rule ? ruleDraftOf(rule) : blankRule
	const edited = useDraft(stored)
	const { draft, setDraft } = edited
	const change = changedFields(ruleInputOf(draft), ruleInputOf(stored))
	const save = useMutation({
		mutationFn: (body: RuleInput) =>
			rule
				? changeShown('/v1/redaction-rules/{id}', { id: rule.id }, rule, change)
				: unwrap(api.POST('/v1/redaction-rules', { body })),
		onSuccess: async () => {
			await refreshRules(queries)
			toast(rule ? 'Saved' : 'Created')
			onClose()
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate(ruleInputOf(draft))
	}
	return (
		<>
			<form id="redaction-rule" onSubmit={submit}>
				<fieldset disabled={!canChange} className="grid min-w-0 gap-4">
					<legend className="sr-only">Rule</legend>
					<RuleFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
				</fieldset>
			</form>
			<section className="mt-4 border-t border-line pt-4" aria-label="Test the rule">
				<TryBox
					label="Try it out"
					disabled={!canChange}
					hint="Uses this rule only. Nothing is stored."
					{...(draft.pattern && draft.label && { rule: { pattern: draft.pattern, label: draft.label } })}
				/>
			</section>
			{rule !== null && !save.isPending && <OvertakenNotice edited={edited} />}
			{save.error && <InlineError error={save.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button
					type="submit"
					form="redaction-rule"
					variant="primary"
					busy={save.isPending}
					disabled={!canChange || draft.targets.length === 0 || (rule !== null && !hasFields(change))}
				>
					{rule ? 'Save' : 'Create rule'}
				</Button>
			</DialogActions>
		</>
	)
}

const targets = Object.keys(targetTexts) as RedactionTarget[]

function RuleFields({ draft, onChange }: { draft: RuleDraft; onChange(change: Partial<RuleDraft>): void }) {
	const toggle = (target: RedactionTarget, isOn: boolean) => {
		const others = draft.targets.filter((one) => one !== target)
		onChange({ targets: isOn ? [...others, target] : others })
	}
	return (
		<>
			<NameField value={draft.name} onChange={(name) => onChange({ name })} />
			<div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
				<PatternField value={draft.pattern} onChange={(pattern) => onChange({ pattern })} />
				<LabelField value={draft.label} onChange={(label) => onChange({ label })} />
			</div>
			<fieldset>
				<legend className="font-medium">Applies to</legend>
				{targets.map((target) => (
					<CheckLine
						key={target}
						label={targetTexts[target].label}
						checked={draft.targets.includes(target)}
						onChange={(isOn) => toggle(target, isOn)}
					>
						{targetTexts[target].label}
						<span className="block text-xs text-ink-3">{targetTexts[target].text}</span>
					</CheckLine>
				))}
			</fieldset>
			{draft.targets.includes('attributes') && (
				<Field label="Names of attributes" hint="One per line; a trailing * matches any ending">
					{(field) => (
						<Textarea
							{...field}
							required
							spellCheck={false}
							placeholder="user.id"
							value={draft.keys}
							onChange={(event) => onChange({ keys: event.target.value })}
							className="font-mono"
						/>
					)}
				</Field>
			)}
			<TokenField value={draft.tokenId} onChange={(tokenId) => onChange({ tokenId })} />
		</>
	)
}
