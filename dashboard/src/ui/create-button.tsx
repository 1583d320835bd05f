import { Button } from './button.tsx'

interface CreateButtonProps {
	/** In words: `route`, `webhook`. */
	what: string
	disabled?: boolean
	onCreate(): void
}

/** Opens the form for a new object. */
export function CreateButton({ what, disabled, onCreate }: CreateButtonProps) {
	return (
		<Button variant="primary" icon="plus" disabled={disabled ?? false} onClick={onCreate}>
			Create {what}
		</Button>
	)
}
