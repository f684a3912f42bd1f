"""What records of conversations share: where the prompt ends, and messages in the words of OpenAI's interfaces."""
