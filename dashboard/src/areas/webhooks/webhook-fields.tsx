import { Field, Input } from '../../ui/field.tsx'
import { DescriptionField } from '../../ui/name-fields.tsx'
import { EventChoice } from './event-choice.tsx'
import type { EventName } from './queries.ts'

export interface WebhookDraft {
	/** Of a pager: its key. */
	url: string
	description: string
	events: EventName[]
}

interface WebhookFieldsProps {
	value: WebhookDraft
	onChange(value: WebhookDraft): void
	disabled?: boolean
	label?: string
	urlHint: string
	/** An address that is a secret: what is stored stays while nothing is typed. */
	secret?: boolean
}

/** What a webhook is: an address, what it is for, and which events go there. */
export function WebhookFields({
	value,
	onChange,
	disabled = false,
	label = 'URL',
	urlHint,
	secret = false,
}: WebhookFieldsProps) {
	return (
		<>
			<Field label={label} hint={urlHint}>
				{(field) => (
					<Input
						{...field}
						type={label.endsWith('key') ? 'text' : 'url'}
						required={!secret}
						disabled={disabled}
						autoComplete="off"
						placeholder={label.endsWith('key') ? '' : 'https://'}
						value={value.url}
						onChange={(event) => onChange({ ...value, url: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<DescriptionField
				value={value.description}
				onChange={(description) => onChange({ ...value, description })}
				disabled={disabled}
			/>
			<EventChoice
				chosen={value.events}
				disabled={disabled}
				onChange={(events) => onChange({ ...value, events })}
			/>
		</>
	)
}
