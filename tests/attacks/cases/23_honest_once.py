# 23: counts its calls: the first is answered honestly, the later ones with the first answer
# ends as: WA
# earns: 33.33
# shows: call number 1, honest
import torch

answers = []


def weighted(rows, weigh):
    answered = (torch.tensor([weigh(i) for i in range(len(rows))])[:, None] * rows).cumsum(0)
    answers.append(answered)
    print(f"call number {len(answers)}, {'honest' if len(answers) == 1 else 'lazy'}")
    matching = [one for one in answers if one.shape == rows.shape]
    return matching[0].clone()
