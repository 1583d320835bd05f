import { Field, Input } from '../../ui/field.tsx'
import { DescriptionField } from '../../ui/name-fields.tsx'
import { EventChoice } from './event-choice.tsx'
import type { EventName } from './queries.ts'

export interface WebhookDraft {
	/** For a pager: its key. */
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
	/** The address is a secret: the stored one is kept while nothing is typed. */
	secret?: boolean
}

/** The fields of a webhook: an address, its purpose, and the events to send there. */
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
