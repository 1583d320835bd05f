import { createFileRoute } from '@tanstack/react-router'
import { ResetScreen } from '../areas/identity/reset-screen.tsx'

export const Route = createFileRoute('/reset')({ component: ResetScreen })
