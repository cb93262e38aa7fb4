"""Models for diffusion."""
