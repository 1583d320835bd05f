import { Field, Input } from '../../ui/field.tsx'
import { DescriptionField } from '../../ui/name-fields.tsx'
import { EventChoice } from './event-choice.tsx'
import type { EventName } from './queries.ts'

export interface WebhookDraft {
	url: string
	description: string
	events: EventName[]
}

interface WebhookFieldsProps {
	value: WebhookDraft
	onChange(value: WebhookDraft): void
	disabled?: boolean
	urlHint: string
}

/** What a webhook is: an address, what it is for, and which events go there. */
export function WebhookFields({ value, onChange, disabled = false, urlHint }: WebhookFieldsProps) {
	return (
		<>
			<Field label="URL" hint={urlHint}>
				{(field) => (
					<Input
						{...field}
						type="url"
						required
						disabled={disabled}
						placeholder="https://"
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
