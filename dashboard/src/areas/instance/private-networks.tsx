import type { FormEvent } from 'react'
import { parseLines } from '../../lib/parse-lines.ts'
import { Button } from '../../ui/button.tsx'
import { Textarea } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { useDraft } from '../../ui/use-draft.ts'

interface PrivateNetworksProps {
	value: readonly string[]
	disabled: boolean
	onSave(value: string[]): void
}

export function PrivateNetworks({ value, disabled, onSave }: PrivateNetworksProps) {
	const edited = useDraft({ text: value.join('\n') }, 'private networks')
	const { text } = edited.draft
	const networks = parseLines(text)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSave(networks)
	}
	return (
		<form onSubmit={submit} className="grid w-64 gap-2">
			<Textarea
				aria-label="Private networks"
				className="font-mono text-xs"
				rows={3}
				placeholder="10.20.0.0/16"
				disabled={disabled}
				value={text}
				onChange={(event) => edited.setDraft({ text: event.target.value })}
			/>
			{!disabled && <OvertakenNotice edited={edited} />}
			<Button
				type="submit"
				small
				className="justify-self-end"
				disabled={disabled || networks.join() === value.join()}
			>
				Save networks
			</Button>
		</form>
	)
}
