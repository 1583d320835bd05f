import { createFileRoute } from '@tanstack/react-router'
import { ForgotScreen } from '../areas/identity/forgot-screen.tsx'

export const Route = createFileRoute('/forgot')({ component: ForgotScreen })
